import { deepEqual, equal } from 'node:assert/strict';
import { describeConformance, fakeLaunch, recordPlugin } from '@tapline/plugin-sdk/testing';
import plugin from '../index.ts';

describeConformance(plugin);

describe('a held template', () => {
  /** Stands for the table of holds, with this one in it. */
  const holding = (hold?: { reason: string }) => () => ({ where: () => ({ first: async () => hold }) });
  const launch = async (hold: { reason: string } | undefined, settings = {}) => {
    const { tap } = recordPlugin(plugin, { services: { db: holding(hold) }, settings });
    const payload = fakeLaunch();
    return { denial: await tap('beforeStart', 'refuse-held', payload), explained: payload.explained };
  };

  it('is not launched', async () => {
    const { denial } = await launch({ reason: 'It is being mended.' });
    deepEqual(denial, { status: 403, body: { detail: 'This template is held.', reasons: ['It is being mended.'] } });
  });

  it('is launched with an explanation where holds are not enforced', async () => {
    const { denial, explained } = await launch({ reason: 'Careful.' }, { SAMPLE_PLUGIN_ENFORCED: false });
    equal(denial, undefined);
    deepEqual(explained, ['This template is held: Careful.']);
  });

  it('is the only one that is refused', async () => {
    const { denial, explained } = await launch(undefined);
    equal(denial, undefined);
    deepEqual(explained, []);
  });
});
