import type { PluginApi } from '@tapline/plugin-sdk';

export function defineSettings({ settings }: PluginApi): void {
  settings.define({
    key: 'SAMPLE_PLUGIN_ENFORCED',
    category: 'sample-plugin',
    type: 'boolean',
    default: true,
    label: 'Refuse launches of held templates',
    help: 'Off: a held template is launched all the same, and the run says that it was held.',
  });
}
