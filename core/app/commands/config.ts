import { settingDefinitions } from '../../settings/definitions.ts';
import { createSettings } from '../../settings/settings.ts';
import { loadConfig, redactConfig } from '../config.ts';

export function printConfig({ redact }: { redact: boolean }): void {
  const config = loadConfig();
  const settings = Object.fromEntries(
    createSettings({ config })
      .all()
      .map(({ key, value, origin, definition }) => [
        key,
        { value: definition.secret && value && redact ? '[redacted]' : value, origin },
      ]),
  );
  console.log(JSON.stringify({ ...(redact ? redactConfig(config) : config), settings }, null, 2));
  console.error(`${Object.keys(settingDefinitions).length} settings; change one with TAPLINE_<KEY>=value.`);
}
