/** Calls that contribute, as they follow the api's name. */
const contributing =
  '(?:resource|runKind|templateKind|origin|point|route|pages|page|extend|permissions\\.define|settings\\.define|hooks\\.\\w+|task|cron|websocket\\.group|health|nav|insights\\.provide|offer|guard|restrict|onStart|onStop)';

/** `register(api) {`, `(api) =>`, `api =>` */
const firstParameter = /^(?:async\s+)?(?:[\w$\s]*\(\s*)?([A-Za-z_$][\w$]*)\s*(?=[,)]|=>)/;

/**
 * Calls that contribute in the source of what runs later: they would come too late. It sees what is written there in
 * so many words by the name that `register` has for the api, and nothing that is called from there.
 */
export function lateCalls(register: (api: never) => unknown, later: () => unknown): string[] {
  const name = firstParameter.exec(String(register))?.[1];
  const source = String(later);
  if (name === undefined || hides(source, name)) return [];
  const calls = source.matchAll(new RegExp(`(?<![\\w$.])${escape(name)}\\.(${contributing})\\s*\\(`, 'g'));
  return [...new Set([...calls].map(([, call]) => `api.${call}`))];
}

const escape = (text: string) => text.replaceAll('$', '\\$');

/** Whether the name means something else in there. */
const hides = (source: string, name: string) =>
  new RegExp(`\\b(?:const|let|var|function)\\s+${escape(name)}(?![\\w$])`).test(source);
