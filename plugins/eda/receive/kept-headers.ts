import { type Call, type PluginApi, safeText } from '@tapline/plugin-sdk';

/** Whatever the setting says. */
const credential = /authorization|cookie|token|secret|signature|password|passwd|credential|(api|access|private)-?key/;
const longest = 2048;

export function keptHeaders({ settings }: Pick<PluginApi, 'settings'>, { headers }: Pick<Call, 'headers'>) {
  const names = (settings.get('EDA_KEPT_HEADERS') as readonly string[]).map((name) => name.toLowerCase());
  return Object.fromEntries(
    names
      .filter((name) => headers[name] !== undefined && !credential.test(name))
      .map((name) => [name, safeText(headers[name]!, longest)]),
  );
}
