// Text of the page whose contrast with what lies behind it is below WCAG's 4.5: [text, ratio] each.
(() => {
  const channel = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const parse = (colour) => colour.match(/[\d.]+/g).map(Number);
  const luminance = ([r, g, b]) =>
    0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    if (!text || element.closest("script, style, title, option") || !element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    const bar = element.closest("svg.bar");
    const ink = parse(element.closest("svg") ? style.fill : style.color);
    const ground = bar ? parse(getComputedStyle(element.previousElementSibling).fill) : behind(element);
    const [light, dark] = [luminance(ink), luminance(ground)].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < 4.5) found.push([text.slice(0, 40), ratio]);
  }
  return found;
})();
