import type { NavigationEntry } from '../api.ts';

const longest = 60;
const mostOrder = 10_000;

/** What is wrong with an entry of the navigation; nothing where it can be shown. */
export function navigationProblems({ path, label, order, section }: NavigationEntry): string[] {
  return [
    // two slashes would lead to another host
    ...(isText(path) && /^\/(?![/\\])[^\s\\]*$/.test(path) && !/^\/api(\/|$)/.test(path)
      ? []
      : [
          `path ${JSON.stringify(path)} must be a route of the client, like "/drift": one slash in front, not below /api/`,
        ]),
    ...(isName(label) ? [] : [`label must be a text: what people read, at most ${longest} characters`]),
    ...(order === undefined || (Number.isInteger(order) && order >= 0 && order <= mostOrder)
      ? []
      : [`order ${JSON.stringify(order)} must be a whole number from 0 to ${mostOrder}`]),
    ...(section === undefined || isName(section)
      ? []
      : [`section must be a heading of at most ${longest} characters, or left out`]),
  ];
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isName = (value: unknown) =>
  isText(value) && value.length <= longest && value.trim() === value && /^[^\p{Cc}]+$/u.test(value);

/** `/drift` and `/drift/` are one entry. */
export const navigationKey = (path: string): string => path.replace(/(?<=.)\/$/, '');
