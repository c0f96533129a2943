/** Enter goes on below where the line began. Tab is left to the browser: it leaves the field. */
export function indented(event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }): void {
  if (event.key !== 'Enter' || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const { value, selectionStart } = event.currentTarget;
  const line = value.slice(value.lastIndexOf('\n', selectionStart - 1) + 1, selectionStart);
  const space = /^[ \t]*/.exec(line)![0];
  // by the browser, so that it can be undone
  if (space && document.execCommand('insertText', false, `\n${space}`)) event.preventDefault();
}
