import { definePlugin } from '@tapline/plugin-sdk';

/** The web console: static files, everything they show comes from the API with the rights of whoever is logged in. */
export default definePlugin({
  id: 'console',
  title: 'Console',
  version: '0.1.0',
  description: 'The web console at /: what runs, what failed and why, launching with prompts.',
  sdk: '^1.0.0',

  register(api) {
    api.pages({ path: '/', folder: new URL('./dist/', import.meta.url) });

    api.nav({ path: '/', label: 'Overview', order: 0 });
    api.nav({ path: '/jobs', label: 'Jobs', order: 100 });
    api.nav({ path: '/templates', label: 'Templates', order: 110 });
    api.nav({ path: '/setup', label: 'Set up', order: 800 });
    api.nav({ path: '/plugins', label: 'Plugins', order: 900 });
  },
});
