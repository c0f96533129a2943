import { definePlugin } from '@tapline/plugin-sdk';

/** Twenty taps on `beforeStart` that do nothing: what is left is what core does around them. */
// the module of a plugin exports it so
// oxlint-disable-next-line no-default-export
export default definePlugin({
  id: 'no-op-taps',
  title: 'Taps that do nothing',
  version: '1.0.0',
  sdk: '^1.0.0',
  register(api) {
    for (let n = 1; n <= 20; n += 1) api.hooks.beforeStart({ name: `tap-${n}`, failMode: 'deny' }, () => undefined);
  },
});
