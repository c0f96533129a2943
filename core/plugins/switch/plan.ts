import { asEntry, enabledEntries, type PluginLayer, type PluginSwitch } from '../../config/plugin-entries.ts';
import type { KnownPlugin } from './known.ts';

/** Why a plugin cannot be switched, and which part of the wish that concerns. */
export class SwitchError extends Error {
  override name = 'SwitchError';
  readonly field: 'name' | 'enabled' | 'optional';

  constructor(field: SwitchError['field'], message: string) {
    super(message);
    this.field = field;
  }
}

interface Lists {
  /** of config/plugins.ts */
  configured: readonly PluginSwitch[];
  layer: PluginLayer;
}

interface Wish extends Lists {
  name: string;
  /** what every name stands for that is on or meant */
  known: readonly KnownPlugin[];
}

const them = (names: readonly string[]) => (names.length > 1 ? 'them' : 'it');

/** The layer by which it is on at the next start. @throws SwitchError */
export function planEnable({ name, known, configured, layer, optional }: Wish & { optional: boolean }): PluginLayer {
  const plugin = known.find((one) => one.name === name);
  if (!plugin || plugin.problem) throw new SwitchError('name', `${plugin?.problem ?? `plugin ${name}: unknown`}.`);
  if (optional && plugin.optionalProblem) throw new SwitchError('optional', `${plugin.optionalProblem}.`);
  const others = enabledEntries({ configured, layer }).filter((entry) => entry.name !== name);
  const ids = new Set(known.filter((one) => others.some((entry) => entry.name === one.name)).map(({ id }) => id));
  const missing = plugin.requires.filter((needed) => !ids.has(needed));
  if (missing.length)
    throw new SwitchError('enabled', `${name} requires ${missing.join(', ')}: enable ${them(missing)} first.`);
  const listed = configured.map(asEntry).some((entry) => entry.name === name && entry.optional === optional);
  return {
    enable: [
      ...layer.enable.filter((entry) => asEntry(entry).name !== name),
      ...(listed ? [] : [optional ? { name, optional } : name]),
    ],
    disable: layer.disable.filter((entry) => entry !== name),
  };
}

/** The layer by which it is off at the next start. @throws SwitchError where others need it */
export function planDisable({ name, known, configured, layer }: Wish): PluginLayer {
  const entries = enabledEntries({ configured, layer });
  const on = known.filter((one) => entries.some((entry) => entry.name === one.name));
  const found = on.find((one) => one.name === name);
  const needing = on.flatMap(({ id, requires }) => (id && found?.id && requires.includes(found.id) ? [id] : []));
  if (needing.length)
    throw new SwitchError(
      'enabled',
      `${needing.join(', ')} ${needing.length > 1 ? 'require' : 'requires'} ${found!.id}: disable ${them(needing)} first.`,
    );
  const listed = configured.some((entry) => asEntry(entry).name === name);
  return {
    enable: layer.enable.filter((entry) => asEntry(entry).name !== name),
    disable: [...layer.disable.filter((entry) => entry !== name), ...(listed ? [name] : [])],
  };
}
