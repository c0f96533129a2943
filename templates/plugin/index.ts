import { definePlugin } from '@tapline/plugin-sdk';
import { holdResource } from './resources/hold.ts';
import { defineSettings } from './settings.ts';
import { refuseHeld } from './taps/refuse-held.ts';

export default definePlugin({
  id: 'sample-plugin',
  title: 'Sample plugin',
  version: '0.1.0',
  description: 'Holds: job templates that must not be launched for now.',
  sdk: '^1.0.0',
  migrations: new URL('./migrations/', import.meta.url),
  register(api) {
    defineSettings(api);
    api.resource(holdResource(api));
    refuseHeld(api);
    api.page({
      path: '/sample-plugin',
      title: 'Sample plugin',
      module: new URL('./pages/holds.js', import.meta.url),
      nav: {},
      panels: [{ on: 'job_template', title: 'Hold', export: 'TemplateHold' }],
    });
  },
});
