// What the theme leaves out for those who hear a page or use no mouse. It adds these elements after it has loaded, and
// opens pages without loading them anew.
new MutationObserver(() => {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  for (const each of document.querySelectorAll("nav.md-code__nav")) each.setAttribute("role", "presentation");
  for (const each of document.querySelectorAll(
    '.md-typeset__scrollwrap, .md-typeset pre > code, .md-typeset p:has(> img[src$="pipeline.svg"])'))
    each.setAttribute("tabindex", "0");
}).observe(document.documentElement, { childList: true, subtree: true });
