import { expect } from 'chai';
import type { Calendar, Span } from '../calendar.ts';
import { judge } from '../judge.ts';
import { joined } from '../spans.ts';

const calendar = (id: number, kind: 'allow' | 'deny'): Calendar => ({
  id,
  kind,
  name: `c${id}`,
  organization_id: 1,
  timezone: 'UTC',
  windows: [],
});
const [now, open, later]: [number, Span[], Span[]] = [50, [{ start: 0, end: 100 }], [{ start: 80, end: 100 }]];
const [freeze, day, night] = [calendar(1, 'deny'), calendar(2, 'allow'), calendar(3, 'allow')];
const judged = (bound: [Calendar, string][], spans: [number, Span[]][]) =>
  judge(
    bound.map(([one, at]) => ({ calendar: one, at })),
    new Map(spans),
    now,
  ).map(({ calendars, until }) => [calendars.map(({ id }) => id), until]);

describe('calendars', () => {
  it('keep nothing where there are none, or those that deny have no window now', () => {
    expect(judged([], [])).to.deep.equal([]);
    expect(judged([[freeze, 'organization 1']], [[1, later]])).to.deep.equal([]);
    expect(judged([[freeze, 'organization 1']], [])).to.deep.equal([]);
  });

  it('deny whatever others allow, each once wherever it is bound', () => {
    const spans: [number, Span[]][] = [
      [1, open],
      [2, open],
    ];
    expect(
      judged(
        [
          [freeze, 'organization 1'],
          [freeze, 'template 1'],
          [day, 'template 1'],
        ],
        spans,
      ),
    ).to.deep.equal([[[1], 100]]);
  });

  it('allow by any of those of one object, and by each object', () => {
    const spans: [number, Span[]][] = [
      [2, open],
      [3, later],
    ];
    expect(
      judged(
        [
          [day, 'organization 1'],
          [night, 'organization 1'],
        ],
        spans,
      ),
    ).to.deep.equal([]);
    expect(
      judged(
        [
          [day, 'organization 1'],
          [night, 'template 1'],
        ],
        spans,
      ),
    ).to.deep.equal([[[3], 80]]);
  });

  it('allow nothing any more when all their windows are over', () => {
    expect(judged([[day, 'inventory 1']], [[2, []]])).to.deep.equal([[[2], null]]);
  });

  it('are open up to the last instant before the end of a window, and windows that follow on each other are one', () => {
    const at = (instant: number) => judge([{ calendar: freeze, at: 'a' }], new Map([[1, open]]), instant).length;
    expect([at(-1), at(0), at(99), at(100)]).to.deep.equal([0, 1, 1, 0]);
    expect(
      joined([
        { start: 10, end: 20 },
        { start: 0, end: 10 },
        { start: 15, end: 18 },
        { start: 30, end: 31 },
      ]),
    ).to.deep.equal([
      { start: 0, end: 20 },
      { start: 30, end: 31 },
    ]);
  });
});
