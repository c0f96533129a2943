import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Plugin, type PluginApi, point, points, type Tracer, z } from '@tapline/plugin-sdk';
import { conformanceProblems, recordPlugin } from '@tapline/plugin-sdk/testing';
import { expect } from 'chai';
import { checkPlugins } from '../../core/app/doctor/plugins.ts';
import { loadConfig, root } from '../../core/config/config.ts';
import { offersTo, unclaimedOffers } from '../../core/plugins/points.ts';
import { preparePlugins } from '../../core/plugins/prepare.ts';
import recommendations from '../../plugins/recommendations/index.ts';
import { testPlugin } from '../support/plugins.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

interface Shade {
  name: string;
  depth: number;
  mix(): string;
}
const shade = point<Shade>(
  'paint.shade',
  z.looseObject({
    name: z.string(),
    depth: z.int().max(9),
    mix: z.custom<Shade['mix']>((f) => typeof f === 'function'),
  }),
);
const mix = () => 'mixed';
const owner = testPlugin('paint', (api) => api.point(shade));
const config = { root, dataDir: '/nowhere', plugins: [] };
type Inline = NonNullable<Parameters<typeof preparePlugins>[0]['inline']>;

const prepare = (...inline: Inline) => preparePlugins({ config, inline });
const failure = (...inline: Inline) =>
  prepare(...inline).then(
    () => 'nothing failed',
    (error: Error) => error.message,
  );
const offering = (register: (api: PluginApi) => void): Plugin => testPlugin('artist', register);

describe('an extension point', () => {
  it('holds what was offered by its object and by its name, as it was offered', async () => {
    class Blue implements Shade {
      name = 'blue';
      depth = 3;
      mix() {
        return this.name;
      }
    }
    const [blue, red] = [new Blue(), { name: 'red', depth: 1, mix, more: true }];
    const registries = await prepare(
      offering((api) => {
        api.offer(shade, blue);
        api.offer('paint.shade', red);
      }),
      owner,
    );
    const held = offersTo(registries, shade);
    expect(held[0]).to.equal(blue);
    expect(held[1]).to.equal(red);
    expect(held.map((one) => one.mix())).to.deep.equal(['blue', 'mixed']);
  });

  it('is typed: what does not implement it does not compile', async () => {
    const text = await failure(
      // @ts-expect-error depth must be a number, mix is missing
      offering((api) => api.offer(shade, { name: 'red', depth: 'dark' })),
    );
    expect(text).to.match(/^plugin artist: api\.offer\("paint\.shade"\) has a wrong argument: red: depth: /);
    expect(text).to.contain('red: mix: ');
  });

  it('refuses by its schema what is offered by name, whoever registers first', async () => {
    const wrong = offering((api) => api.offer('paint.shade', { name: 'red', depth: 10, mix }));
    for (const inline of [
      [owner, wrong],
      [wrong, owner],
    ])
      expect(await failure(...inline)).to.match(
        /^plugin artist: api\.offer\("paint\.shade"\) has a wrong argument: red: depth: /,
      );
  });

  it('leaves an optional plugin out that offers it something wrong', async () => {
    const wrong = offering((api) => api.offer('paint.shade', {}));
    const { plugins, leftOut } = await prepare(owner, { plugin: wrong, optional: true });
    expect(plugins.map(({ plugin }) => plugin.id)).to.deep.equal(['paint']);
    expect(leftOut[0]).to.include({ id: 'artist' });
    expect(leftOut[0]!.reason).to.contain('api.offer("paint.shade")');
  });

  it('tells whose offer it is where the schema itself fails', async () => {
    const moody = point<Shade>(
      'paint.shade',
      z.custom<Shade>(() => {
        throw new Error('not today');
      }),
    );
    const text = await failure(
      testPlugin('paint', (api) => api.point(moody)),
      offering((api) => api.offer('paint.shade', {})),
    );
    expect(text).to.equal(
      'plugin artist: api.offer("paint.shade") has a wrong argument: it cannot be judged: not today',
    );
  });

  it('is opened once, and not in place of one of core', async () => {
    expect(
      await failure(
        owner,
        testPlugin('second', (api) => api.point(shade)),
      ),
    ).to.match(
      /^plugin second: api\.point\("paint\.shade"\) clashes: the extension point paint\.shade is contributed by plugin paint/,
    );
    expect(await failure(testPlugin('second', (api) => api.point(point('tracer', z.looseObject({})))))).to.equal(
      'plugin second: api.point("tracer") clashes: core has this point: choose another name',
    );
  });

  for (const [what, given, text] of [
    ['a name', 'paint.shade', /must be what the SDK's point\(\) returned/],
    ['nothing', undefined, /must be what the SDK's point\(\) returned/],
    ['one without schema', { name: 'paint.shade' }, /schema must be a zod schema/],
    ['one with an odd name', point('Paint shade', z.looseObject({})), /must be a dotted name/],
  ] as const)
    it(`is refused where it is ${what}`, async () => {
      expect(await failure(testPlugin('paint', (api) => api.point(given as never)))).to.match(text);
      expect(await failure(offering((api) => api.offer(given as never, {})))).to.match(
        what === 'a name' ? /nothing failed/ : /^plugin artist: api\.offer\(.*has a wrong argument/,
      );
    });

  it('of core takes what implements it only', async () => {
    const said = (register: (api: PluginApi) => void) => failure(offering(register));
    expect(await said((api) => api.offer('notification.kind', { kind: 'pigeon' }))).to.match(
      /^plugin artist: api\.offer\("notification\.kind"\) has a wrong argument: pigeon: send: must be a function$/,
    );
    expect(await said((api) => api.offer('tracer', { span: 'none' }))).to.contain('span: must be a function');
    const tracer: Tracer = { span: async (_name, work) => work({ set: () => undefined }) };
    expect(await said((api) => api.offer(points.tracer, tracer))).to.equal('nothing failed');
  });

  it('of the recommendations takes no rule with a scope or a severity that there is none of', async () => {
    const rule = { id: 'mine', scope: 'resources', severity: 'info', title: 'Mine', action_link: '/x', evaluate: mix };
    const said = (more: object) =>
      failure(
        offering((api) => api.offer('recommendation.rule', { ...rule, ...more })),
        recommendations,
      );
    expect(await said({})).to.equal('nothing failed');
    expect(await said({ scope: 'nonsense' })).to.match(/mine: scope: .*"dashboard"/);
    expect(await said({ severity: 'warning' })).to.match(/mine: severity: .*"critical"/);
    expect(await said({ evaluate: undefined })).to.contain('mine: evaluate: must be a function');
  });
});

describe('an offer to a point that nobody opens', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tapline-points-'));
  after(() => removeFolder(dataDir));

  it('is no error, and told once, with the name that is likely meant', async () => {
    const registries = await prepare(
      offering((api) => {
        api.offer('paint.shades', {});
        api.offer('paint.shades', {});
        api.offer('sculpture.form', {});
      }),
      owner,
    );
    expect(unclaimedOffers(registries)).to.deep.equal([
      {
        plugin: 'artist',
        text: 'artist offers something to the extension point paint.shades, which no plugin that is on opens; is paint.shade meant?',
      },
      {
        plugin: 'artist',
        text: 'artist offers something to the extension point sculpture.form, which no plugin that is on opens',
      },
    ]);
  });

  it('is told by the doctor, who refuses a wrong one', async () => {
    const look = async (id: string, offer: string) => {
      const module = join(dataDir, `${id}.mjs`);
      const register = `register(api) { ${offer} }`;
      writeFileSync(module, `export default { id: '${id}', title: 'Mine', version: '1.0.0', sdk: '*', ${register} };`);
      const env = { TAPLINE_DATA: dataDir, TAPLINE_PLUGINS: module, DATABASE_URL: '' };
      return (await checkPlugins(loadConfig(env))).map(({ level, what }) => `${level}: ${what}`).join('\n');
    };
    expect(await look('mine', `api.offer('recommendation.rule', {})`)).to.match(
      /warn: mine offers something to the extension point recommendation\.rule, which no plugin that is on opens/,
    );
    expect(await look('other', `api.offer('tracer', {})`)).to.match(
      /fail: plugin other: api\.offer\("tracer"\) has a wrong argument: span: must be a function/,
    );
  });
});

describe('the testing kit', () => {
  it('records points and offers, and refuses a typed offer that does not fit', () => {
    const red = { name: 'red', depth: 1, mix };
    const plugin = testPlugin('artist', (api) => {
      api.point(shade);
      api.offer(shade, red);
      api.offer('others.point', red);
    });
    const { api, contributions } = recordPlugin(plugin, { offers: { 'paint.shade': [red] } });
    expect(contributions.points).to.deep.equal([shade]);
    expect(contributions.offers.map((offer) => offer.point)).to.deep.equal(['paint.shade', 'others.point']);
    expect(api.use(shade)).to.deep.equal([red]);
    expect(() => recordPlugin(testPlugin('artist', (door) => door.offer(shade, {} as Shade)))).to.throw(
      /^plugin artist: offer to paint\.shade: name: /,
    );
  });

  it('finds offers by name that do not fit core or the plugin itself', async () => {
    const plugin = testPlugin('artist', (api) => {
      api.point(shade);
      api.offer('paint.shade', { name: 'red', depth: 1 });
      api.offer('notification.kind', { kind: 'pigeon' });
    });
    const problems = (await conformanceProblems(plugin)).join('\n');
    expect(problems).to.contain('an offer to paint.shade: mix: ').and.contain('an offer to notification.kind: send: ');
  });
});
