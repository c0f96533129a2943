import { expect } from 'chai';
import { attacksOn } from './regexes/attacks.ts';
import { literals } from './regexes/literals.ts';

/**
 * Patterns that take longer than in proportion to what they look through, with what bounds that. Nothing else may: most texts come
 * from playbooks, managed hosts, repositories and clients, and while a pattern works nobody else is served.
 */
const bounded: Record<string, string> = {
  [String(/(\/\/[^:@/]*):[^@]*@/)]: "the operator's own address of the database",
  [String(/^(?:async\s+)?(?:[\w$\s]*\(\s*)?([A-Za-z_$][\w$]*)\s*(?=[,)]|=>)/)]:
    'the source of a function of a plugin, at the start',
};

const longest = 1 << 16;
/** A hundred times what a pattern takes that looks at each character some times. */
const patienceMs = 150;

/** The size of a text of its own that the pattern takes too long for; undefined for none. */
function worstOf(regex: RegExp): number | undefined {
  for (const attack of attacksOn(regex))
    // small steps first: some take twice as long for each character
    for (let size = 16; size <= longest; size = Math.ceil(size * (size < 64 ? 1.1 : 2))) {
      const text = attack(size);
      // a machine that is busy is slow now and then
      if (timed(regex, text) > patienceMs && timed(regex, text) > patienceMs) return size;
    }
  return undefined;
}

function timed(regex: RegExp, text: string): number {
  regex.lastIndex = 0;
  const begin = process.cpuUsage().user;
  regex.exec(text);
  return (process.cpuUsage().user - begin) / 1000;
}

describe('regular expressions', function () {
  const all = literals();

  it('are found in the sources', () => {
    expect(all.length).to.be.above(250);
  });

  it('are recognised where they take long', () => {
    expect(worstOf(/(\/[^\s':]*python[^\s':]*)'?:? not found/i)).to.be.below(longest);
    expect(worstOf(/^(a+)+$/)).to.be.below(longest);
    expect(worstOf(/=+$/)).to.be.at.most(longest);
    expect(worstOf(/^[a-z]+=\d+$/)).to.equal(undefined);
  });

  it('take no longer than in proportion to a text made for them', () => {
    const slow = all.flatMap(({ where, regex }) => {
      if (Object.hasOwn(bounded, String(regex))) return [];
      const size = worstOf(regex);
      return size === undefined ? [] : [`${where} ${String(regex)} with ${size} characters`];
    });
    expect(slow.join('\n')).to.equal('');
  });

  it('are no longer excused than they are there', () => {
    const known = new Set(all.map(({ regex }) => String(regex)));
    expect(Object.keys(bounded).filter((text) => !known.has(text))).to.deep.equal([]);
  });
});
