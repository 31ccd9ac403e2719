// Edits a program in CodeMirror on top of a text area, which the page still reads and writes.
//
// It lives in a shadow root: the page's policy allows adopted style sheets there, and they do not affect the page. It
// uses the page's colours, so it follows light and dark mode. Tab leaves the editor, as it leaves a text area.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { go } from "@codemirror/lang-go";
import { java } from "@codemirror/lang-java";
import { javascript } from "@codemirror/lang-javascript";
import { python } from "@codemirror/lang-python";
import { rust } from "@codemirror/lang-rust";
import { bracketMatching, HighlightStyle, indentOnInput, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { ruby } from "@codemirror/legacy-modes/mode/ruby";
import { Compartment, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const LANGUAGES = { cpp, go, java, javascript, python, rust, ruby: () => StreamLanguage.define(ruby) };

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: "var(--link)" },
  { tag: tags.typeName, color: "var(--curve)" },
  { tag: [tags.string, tags.character, tags.regexp], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--bad)" },
  { tag: [tags.comment, tags.meta], color: "var(--quiet)" },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.typeName)], fontWeight: "bold" },
]);

const LOOK = EditorView.theme({
  "&": { background: "var(--raised)", color: "var(--ink)", border: "1px solid var(--quiet)", borderRadius: ".35rem", fontSize: "14px" },
  "&.cm-focused": { outline: "3px solid var(--link)", outlineOffset: "2px" },
  ".cm-scroller": { fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace", lineHeight: "1.45", minHeight: "14rem", maxHeight: "32rem" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { background: "var(--raised)", color: "var(--quiet)", border: "0" },
  ".cm-activeLine": { background: "transparent" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "var(--rule)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { background: "var(--rule)", color: "inherit" },
});

// On this key the page runs the program; CodeMirror would insert a line break.
const RUN = { key: "Mod-Enter", run: () => true };

window.editorFor = (area, label) => {
  const host = document.createElement("div");
  host.id = "editor";
  area.before(host);
  const root = host.attachShadow({ mode: "open", delegatesFocus: true });
  const language = new Compartment();
  const copied = EditorView.updateListener.of((update) => {
    if (update.docChanged) area.value = update.state.doc.toString();
  });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: area.value,
      extensions: [
        lineNumbers(), history(), drawSelection(), indentOnInput(), bracketMatching(), highlightActiveLine(),
        syntaxHighlighting(COLOURS), LOOK, keymap.of([RUN, ...historyKeymap, ...defaultKeymap]), language.of([]), copied,
        EditorView.contentAttributes.of({ "aria-label": label, autocapitalize: "off", autocorrect: "off" }),
      ],
    }),
  });
  area.hidden = true;
  return {
    show: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    speak: (id) => view.dispatch({ effects: language.reconfigure(LANGUAGES[id] ? LANGUAGES[id]() : []) }),
    focus: () => view.focus(),
  };
};
