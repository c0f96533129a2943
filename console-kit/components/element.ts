type Value = string | number | boolean | null | undefined | ((event: Event) => unknown);
type Content = Node | string | number | false | null | undefined | readonly Content[];

/**
 * For pages that are drawn by hand: an element with its attributes (`true` stands for one without a value, `false` and nothing for none),
 * its listeners (functions, by the name of their event) and its content. Texts only ever become text: nothing in a name is markup.
 */
export function element(
  name: string,
  attributes: Readonly<Record<string, Value>> = {},
  ...content: Content[]
): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key, value);
    else if (value !== undefined && value !== null && value !== false)
      made.setAttribute(key, value === true ? '' : String(value));
  }
  made.append(...(content.flat(9) as Content[]).filter(isShown));
  return made;
}

const isShown = (part: Content): part is Node | string => part !== undefined && part !== null && part !== false;
