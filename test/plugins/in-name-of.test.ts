import { expect } from 'chai';
import { inNameOf } from '../../core/plugins/in-name-of.ts';
import { blamedFor } from '../../core/observe/section.ts';

const restriction = (query: () => unknown) =>
  inNameOf('p', 'restrictions', { resource: 'host', restriction: { row: () => true, query: query as () => void } })
    .restriction;
const sublist = (functions: object) =>
  inNameOf('p', 'extensions', {
    type: 'host',
    extension: { sublists: { things: { resource: 'thing', ...functions } } },
  }).extension.sublists!['things']!;

describe('what narrows a query in the name of a plugin', () => {
  it('may return the builder, which is not run', async () => {
    let runs = 0;
    // builders are thenable, too
    // oxlint-disable-next-line unicorn/no-thenable
    const builder: any = Object.defineProperty({}, 'then', { value: (done: () => void) => ((runs += 1), done()) });
    restriction(() => builder).query(null, builder, 't');
    sublist({ where: () => builder }).where!(builder, {}, 't');
    await Promise.resolve();
    expect(runs).to.equal(0);
  });

  it('is refused where it would come later, in the name of the plugin', () => {
    const late = async () => {
      throw new Error('nobody hears of it');
    };
    for (const narrow of [
      () => restriction(() => late()).query(null, {}, 't'),
      () => sublist({ where: late }).where!({}, {}, 't'),
      () => sublist({ prepare: late }).prepare!({} as never, {}),
    ]) {
      let thrown: unknown;
      expect(() => {
        try {
          narrow();
        } catch (error) {
          throw (thrown = error);
        }
      }).to.throw('of plugin p returned a promise: it must be done when it returns');
      expect(blamedFor(thrown)).to.include({ plugin: 'p' });
    }
  });
});
