import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { firstOccurrence, lastOccurrence, occurrencesAfter } from '../../core/schedules/occurrences.ts';
import { readRule } from '../../core/schedules/read-rule.ts';
import { nextTimes, timesOf } from '../../core/schedules/times.ts';
import { localText } from '../../core/schedules/wall-clock.ts';
import { knownZones } from '../../core/schedules/zones.ts';

/** Of python-dateutil 2.9.0, by record.py beside it. */
const recorded: [rule: string, next: string[]][] = JSON.parse(
  readFileSync(new URL('./occurrences.json', import.meta.url), 'utf8'),
);
const text = (instant: number) => localText(instant, 'UTC');
const next = (rule: string, after: string, most = 10) =>
  occurrencesAfter(readRule(rule), Date.parse(after), most).map(text);

/** It knows no summer time after 2037. */
const known = (times: string[]) => times.filter((at) => at < '2037-03');

function complaints(rule: string): string[] {
  try {
    readRule(rule);
    return [];
  } catch (error) {
    return (error as { body: { rrule: string[] } }).body.rrule;
  }
}

describe('rules of schedules', function () {
  it(`come when python-dateutil says so`, () => {
    expect(recorded.length).to.equal(300);
    const wrong = recorded.flatMap(([rule, expected]) => {
      const found = next(rule, '2026-03-01T00:00:00Z');
      return String(known(found)) === String(known(expected)) ? [] : [{ rule, found, expected }];
    });
    expect(wrong).to.deep.equal([]);
  });

  it('leave out times that clocks leave out, and count those shown twice once', () => {
    const daily = 'DTSTART;TZID=America/New_York:20260301T023000 RRULE:FREQ=DAILY;INTERVAL=1';
    expect(next(daily, '2026-03-07T00:00:00Z', 3)).to.deep.equal([
      '2026-03-07T07:30:00Z',
      '2026-03-09T06:30:00Z',
      '2026-03-10T06:30:00Z',
    ]);
    const twice = 'DTSTART;TZID=America/New_York:20261030T013000 RRULE:FREQ=DAILY;INTERVAL=1';
    expect(next(twice, '2026-10-31T06:00:00Z', 2)).to.deep.equal(['2026-11-01T05:30:00Z', '2026-11-02T06:30:00Z']);
    expect(localText(Date.parse('2030-01-15T17:00:00Z'), 'America/New_York')).to.equal('2030-01-15T12:00:00-05:00');
  });

  it('come again after whole months that are excluded, by the minute, as python-dateutil says', () => {
    const without = (step: number, months: string) =>
      `DTSTART:20260101T000000Z RRULE:FREQ=MINUTELY;INTERVAL=${step} EXRULE:FREQ=MINUTELY;INTERVAL=${step};BYMONTH=${months}`;
    for (const [step, months, after] of [
      [1, '12', '2026-11-30T23:59:00Z'],
      [2, '12', '2026-11-30T23:59:00Z'],
      [1, '11,12', '2026-10-31T23:59:00Z'],
    ] as const)
      expect(next(without(step, months), after, 1)).to.deep.equal(['2027-01-01T00:00:00Z']);
    // what is found in between begins the count of those that are not anew
    const half = 'DTSTART:20260101T000000Z RRULE:FREQ=MINUTELY;INTERVAL=30 EXRULE:FREQ=HOURLY;INTERVAL=1';
    expect(next(half, '2026-01-01T00:00:00Z', 20_000).at(-1)).to.equal('2028-04-13T07:30:00Z');
    const never = 'DTSTART:20260101T000000Z RRULE:FREQ=DAILY;INTERVAL=1 EXRULE:FREQ=DAILY;INTERVAL=1';
    expect(next(never, '2026-01-01T00:00:00Z')).to.deep.equal([]);
  });

  it('say where they begin and end', () => {
    const ends = (rule: string) =>
      [firstOccurrence, lastOccurrence].map((of) => of(readRule(rule))).map((at) => at && text(at));
    const start = 'DTSTART:20300101T000000Z';
    expect(ends(`${start} RRULE:FREQ=DAILY;INTERVAL=1;COUNT=3`)).to.deep.equal([
      '2030-01-01T00:00:00Z',
      '2030-01-03T00:00:00Z',
    ]);
    expect(ends(`${start} RRULE:FREQ=MINUTELY;INTERVAL=1;UNTIL=99990101T000000Z`)[1]).to.equal('9999-01-01T00:00:00Z');
    expect(ends(`${start} RRULE:FREQ=DAILY;INTERVAL=1;COUNT=3 RRULE:FREQ=DAILY;INTERVAL=1`)[1]).to.equal(undefined);
    expect(ends(`${start} RRULE:FREQ=DAILY;INTERVAL=1;COUNT=3 EXRULE:FREQ=DAILY;INTERVAL=2`)).to.deep.equal([
      '2030-01-02T00:00:00Z',
      '2030-01-02T00:00:00Z',
    ]);
  });

  it('come to an end with the year 9999 of UTC', () => {
    const last = 'DTSTART;TZID=America/New_York:99991230T200000 RRULE:FREQ=DAILY;INTERVAL=1';
    expect(next(last, '9999-12-30T00:00:00Z')).to.deep.equal(['9999-12-31T01:00:00Z']);
    expect(text(lastOccurrence(readRule(`${last};COUNT=5`))!)).to.equal('9999-12-31T01:00:00Z');
  });

  it('are refused with a message for each thing that is wrong', () => {
    const start = 'DTSTART:20300101T000000Z';
    const rule = 'RRULE:FREQ=DAILY;INTERVAL=1';
    const cases: [string, ...RegExp[]][] = [
      ['  ', /blank/],
      [rule, /Valid DTSTART required/],
      [`DTSTART:20300101T000000 ${rule}`, /naive/],
      [`${start} ${start} ${rule}`, /Multiple DTSTART/],
      [start, /One or more rule required/],
      [`${start} ${rule} EXDATE:20300102T000000Z`, /EXDATE/],
      [`${start} RRULE:FREQ=DAILY`, /INTERVAL required.*RULE:FREQ=DAILY$/],
      [`${start} RRULE:FREQ=SECONDLY;INTERVAL=1`, /SECONDLY/],
      [`${start} RRULE:FREQ=MONTHLY;INTERVAL=1;BYDAY=5MO`, /numeric prefix/],
      [`${start} ${rule};COUNT=1000;UNTIL=20310101T000000Z`, /both COUNT and UNTIL/, /COUNT > 999/],
      [`${start} RRULE:FREQ=OFTEN;INTERVAL=1`, /parsing failed.*FREQ/],
      [`${start} ${rule};BYMONTH=13`, /parsing failed.*BYMONTH/],
      [`${start} RRULE:FREQ=DAILY;INTERVAL=0`, /parsing failed.*INTERVAL/],
      [`DTSTART;TZID=Nowhere/At_All:20300101T000000 ${rule}`, /valid TZID/],
      [`DTSTART;TZID=Europe/Berlin:20300101T000000Z ${rule}`, /both TZID and Z/],
      [`DTSTART;TZID=Europe/Berlin:20300101T000000 ${rule};UNTIL=20310101`, /UNTIL must be a time/],
      [`DTSTART:20301301T000000Z ${rule}`, /DTSTART is not understood/],
      [`DTSTART;TZID=America/New_York:99991231T200000 ${rule}`, /DTSTART is not in the years/],
      [`DTSTART;TZID=Asia/Tokyo:00010101T000000 ${rule}`, /DTSTART is not in the years/],
      [`DTSTART:00991231T000000Z ${rule}`, /DTSTART is not in the years/],
      [`${start} ${rule};UNTIL=00991231T000000Z`, /UNTIL is not in the years/],
      [`DTSTART;TZID=America/New_York:20300101T000000 ${rule};UNTIL=99991231T200000`, /UNTIL is not in the years/],
      [`${start} rrule:freq=daily;interval=1;count=5000;until=20310101T000000Z`, /both COUNT/, /COUNT > 999/],
      ['RRULE:FREQ=DAILY;COUNT=1000', /Valid DTSTART/, /INTERVAL/, /COUNT > 999/],
    ];
    for (const [sent, ...expected] of cases) {
      const told = complaints(sent);
      expect(told.length, `${sent}: ${told.join(' | ')}`).to.equal(expected.length);
      for (const [index, pattern] of expected.entries()) expect(told[index], sent).to.match(pattern);
    }
    expect(complaints(`${start}\n${rule}\nrrule:freq=weekly;interval=2`)).to.deep.equal([]);
  });

  it('never keep anybody else waiting, whatever they say', async () => {
    const start = 'DTSTART:19000101T060000Z';
    const now = Date.parse('2026-03-01T00:00:00Z');
    const never = await timesOf(readRule(`${start} RRULE:FREQ=DAILY;INTERVAL=1;BYMONTH=2;BYMONTHDAY=30`), {
      now,
      most: 1,
      ends: true,
    });
    expect(never).to.deep.equal({ first: null, last: null, next: [] });
    let beats = 0;
    const pulse = setInterval(() => (beats += 1), 20);
    const endless = `${start} RRULE:FREQ=HOURLY;INTERVAL=24;BYHOUR=5`;
    const refused = await timesOf(readRule(endless), { now, most: 1, ends: true }).catch((error) => error.body);
    clearInterval(pulse);
    expect(refused.rrule[0]).to.match(/longer than/);
    expect(beats).to.be.greaterThan(5);
  });

  it('have their next times found each by itself: only the rule says that there is none', async () => {
    const start = 'DTSTART:19000101T060000Z';
    const now = Date.parse('2026-03-01T00:00:00Z');
    const texts = ['INTERVAL=1', 'INTERVAL=1;COUNT=1'].map((rest) => `${start} RRULE:FREQ=MINUTELY;${rest}`);
    const found = await nextTimes(['not a rule', ...texts], now);
    expect(found.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled', 'fulfilled']);
    expect(found.slice(1).map((one) => 'value' in one && one.value)).to.deep.equal([now + 60_000, null]);
    const zero = 'DTSTART:19700101T000000Z RRULE:FREQ=DAILY;INTERVAL=1;COUNT=1';
    expect(await timesOf(readRule(zero), { now, most: 1, ends: true })).to.deep.equal({ first: 0, last: 0, next: [] });
  });

  it('know the zones', () => {
    const { zones, links } = knownZones();
    expect(zones).to.include.members(['UTC', 'Europe/Berlin', 'America/New_York', 'US/Eastern']);
    expect(links).to.include({ 'US/Eastern': 'America/New_York' });
  });
});
