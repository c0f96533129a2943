import { preparePlugins } from '../../plugins/prepare.ts';
import { judgeKeys, settingsOf } from '../../plugins/services/settings.ts';
import { createSettings } from '../../settings/settings.ts';
import { loadConfig, redactConfig } from '../../config/config.ts';

export async function printConfig({ redact }: { redact: boolean }): Promise<void> {
  const config = loadConfig();
  const registries = await preparePlugins({ config });
  judgeKeys(config, registries);
  const all = createSettings({ config, more: settingsOf(registries), idle: registries.idleKeys }).all();
  const settings = Object.fromEntries(
    all.map(({ key, value, origin, definition }) => [
      key,
      { value: definition.secret && value && redact ? '[redacted]' : value, origin },
    ]),
  );
  console.log(JSON.stringify({ ...(redact ? redactConfig(config) : config), settings }, null, 2));
  console.error(`${all.length} settings; change one with TAPLINE_<KEY>=value.`);
}
