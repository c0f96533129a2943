import { expect } from 'chai';
import type { PluginApi } from '@tapline/plugin-sdk';
import { everybody } from '@tapline/plugin-sdk';
import { bootWith, testPlugin } from '../support/plugins.ts';

const never = () => new Promise<never>(() => undefined);
const broken = () => {
  throw new Error('hostile words');
};
const spin = (ms: number) => {
  for (const end = performance.now() + ms; performance.now() < end;);
};

/** What it does, and why the service says it is left out. */
const registers: Record<string, [register: (api: PluginApi) => unknown, reason: RegExp]> = {
  throws: [broken, /register failed: hostile words/],
  'throws-null': [
    () => {
      throw null;
    },
    /register failed: null/,
  ],
  'returns-a-promise': [() => Promise.reject(new Error('later')), /register returned a promise/],
  'uses-a-service': [(api) => api.db('users'), /api\.db was used inside register/],
  lies: [(api) => api.route({ path: 7 } as never), /path must be a text/],
  'takes-a-path-of-core': [
    (api) => api.route({ path: '/api/v2/ping/', access: { GET: everybody }, handler: async () => ({ status: 200 }) }),
    /ping/,
  ],
  'has-a-bad-time': [
    (api) => api.hooks.afterFinish({ name: 'x', timeoutMs: 2 ** 31 }, () => undefined),
    /timeoutMs must be 600000 or less/,
  ],
};

const starts: Record<string, [start: () => unknown, reason: RegExp]> = {
  'start-throws': [broken, /onStart failed: hostile words/],
  'start-throws-null': [() => Promise.reject(null), /onStart failed: start threw null/],
};

const good = testPlugin('good', (api) => {
  api.route({ path: '/api/v2/good/', access: { GET: everybody }, handler: async () => ({ status: 200, body: {} }) });
});

describe('hostile plugins while the service starts and stops', function () {
  it('are left out where they are optional, and everybody else is served', async () => {
    const plugins = [
      ...Object.entries(registers).map(([id, [register]]) => ({
        plugin: testPlugin(id, register as () => undefined),
        optional: true,
      })),
      ...Object.entries(starts).map(([id, [start]]) => ({
        plugin: testPlugin(id, (api) => api.onStart(start as () => Promise<void>)),
        optional: true,
      })),
      good,
    ];
    const service = await bootWith({ plugins });
    try {
      expect((await service.get('good/')).status).to.equal(200);
      const { results } = (await service.get('plugins/')).body;
      for (const [id, [, reason]] of Object.entries({ ...registers, ...starts })) {
        const told = results.find((plugin: any) => plugin.id === id);
        expect(told, id).to.include({ state: 'left out' });
        expect(told.reason).to.match(reason);
      }
    } finally {
      await service.stop();
    }
  });

  it('end the start where they are not optional, named', async () => {
    const failure = await bootWith({ plugins: [testPlugin('hostile', broken)] }).then(
      () => 'it started',
      (error: Error) => error.message,
    );
    expect(failure).to.contain('plugin hostile: register failed: hostile words');
  });

  it('keep nobody from stopping, whether they throw, hang or block', async () => {
    const stopped: string[] = [];
    const stopping = (id: string, stop: () => unknown) =>
      testPlugin(id, (api) => {
        api.onStop(stop as () => void);
        api.onStart(() => spin(id === 'blocks' ? 1000 : 0));
      });
    const service = await bootWith({
      plugins: [
        stopping('good-stop', () => stopped.push('good')),
        stopping('throws', broken),
        stopping('blocks', () => spin(1000)),
        stopping('hangs', never),
      ],
    });
    expect((await service.get('ping/')).status).to.equal(200);
    await service.stop();
    expect(stopped).to.deep.equal(['good']);
  });
});
