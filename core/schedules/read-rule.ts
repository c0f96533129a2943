import { ValidationError } from '@tapline/plugin-sdk';
import { partsProblem, readParts, type RulePart, type RuleText, wallOf } from './rule-text.ts';
import { isStorable, isZone, toUtc } from './wall-clock.ts';

/** Longer than any rule that people write; each part of it is computed. */
const mostText = 4096;
const mostRules = 20;

const expected = 'DTSTART;TZID=<zone>:YYYYMMDDTHHMMSS or DTSTART:YYYYMMDDTHHMMSSZ';

/** A rule as messages quote it: from `RULE:` on. */
const quoted = (rule: string) => /RULE:.*$/i.exec(rule)![0].slice(0, 200);

/** contract, C2: each wrong thing has its own message, and all are told at once. @throws ValidationError */
export function readRule(sent: string): RuleText {
  const fail = (messages: string[]): never => {
    throw new ValidationError({ rrule: messages });
  };
  const text = sent.trim().split(/\s+/).join(' ');
  if (!text) return fail(['This field may not be blank.']);
  if (text.length > mostText) return fail([`Ensure this field has no more than ${mostText} characters.`]);
  const problems = [...startProblems(text)];
  const rules = text.split(' ').filter((part) => /RULE:/i.test(part));
  if (!rules.some((rule) => /(^|[^X])RRULE:/i.test(rule))) problems.push('One or more rule required in rrule.');
  if (/EXDATE[:;]|RDATE[:;]/i.test(text)) return fail(['EXDATE and RDATE are not allowed in rrule.']);
  if (rules.length > mostRules) problems.push(`More than ${mostRules} rules are not supported.`);
  for (const rule of rules.slice(0, mostRules)) problems.push(...ruleProblems(rule));
  if (problems.length) return fail(problems);
  const read = parse(text);
  return typeof read === 'string' ? fail([`rrule parsing failed validation: ${read}`]) : read;
}

function startProblems(text: string): string[] {
  const starts = text.split('DTSTART').slice(1);
  return [
    ...(starts.some((start) => /^[^:]*:\d+T\d/.test(start))
      ? []
      : [`Valid DTSTART required in rrule. Value should start with: ${expected}`]),
    ...(/DTSTART:\d+T\d+(\s|$)/.test(text)
      ? ['DTSTART cannot be a naive datetime. Require ;TZINFO= or YYYYMMDDTHHMMSSZZ.']
      : []),
    ...(starts.length > 1 ? ['Multiple DTSTART is not supported.'] : []),
  ];
}

function ruleProblems(rule: string): string[] {
  const problems: string[] = [];
  const say = (what: string) => problems.push(`${what} ${quoted(rule)}`);
  if (!/INTERVAL=/i.test(rule)) say('INTERVAL required in rrule.');
  else if (/SECONDLY/i.test(rule)) say('SECONDLY is not supported.');
  const days = rule.split(/BYDAY=/i).slice(1);
  if (days.some((value) => /(?:^|,)\+?\d/.test(value.split(';')[0]!))) say('BYDAY with numeric prefix not supported.');
  const count = /COUNT=(\d+)/i.exec(rule);
  if (count && /UNTIL=/i.test(rule)) say('RRULE may not contain both COUNT and UNTIL.');
  if (count && Number(count[1]) > 999) say('COUNT > 999 is unsupported.');
  return problems;
}

/** @returns the parser's complaint where it has one */
function parse(text: string): RuleText | string {
  const [start, ...others] = text.split(' ') as [string, ...string[]];
  const begin = readStart(start);
  if (typeof begin === 'string') return begin;
  const rules: RulePart[] = [];
  for (const part of others) {
    const [, kind, body = ''] = /^(RRULE|EXRULE):(.*)$/i.exec(part) ?? [];
    if (!kind) return `unsupported property: ${part.slice(0, 100)}`;
    const rule = readRulePart(body, /^EX/i.test(kind), begin);
    if (typeof rule === 'string') return rule;
    rules.push(rule);
  }
  const said = rules.map(({ excludes, text: body }) => `${excludes ? 'EXRULE' : 'RRULE'}:${body}`);
  return { text: [start, ...said].join(' '), zone: begin.zone, start: begin.wall, rules };
}

/** The library that computes what a rule says takes years below 100 for those of the last century. */
const firstYear = '0100';

function readStart(start: string): { zone: string; wall: string } | string {
  const [, options = '', digits = '', z] = /^DTSTART((?:;[^:]*)?):(\d+T\d+)(Z)?$/.exec(start) ?? [];
  const zone = /^;TZID=(.+)$/i.exec(options)?.[1];
  const wall = wallOf(digits);
  if (!wall || (options && !zone)) return `DTSTART is not understood: ${start.slice(0, 100)}`;
  if (zone && z) return 'DTSTART cannot have both TZID and Z.';
  if (zone && !isZone(zone)) return `A valid TZID must be provided (e.g., America/New_York), not ${zone.slice(0, 100)}`;
  if (wall < firstYear || !isStorable(toUtc(wall, zone ?? 'UTC', { gap: 'after' })!))
    return `DTSTART is not in the years 100 to 9999 of UTC: ${start.slice(0, 100)}`;
  return { zone: zone ?? 'UTC', wall };
}

/** UNTIL without Z is a time of the start's zone; it is stored as UTC. */
function readRulePart(body: string, excludes: boolean, { zone }: { zone: string }): RulePart | string {
  const parts = readParts(body);
  if (!parts) return `not a list of names with values: ${body.slice(0, 100)}`;
  const problem = partsProblem({ excludes, text: body, parts }, zone !== 'UTC');
  if (problem) return problem;
  const sent = parts['UNTIL'];
  if (sent && sent < firstYear) return `UNTIL is not in the years 100 to 9999 of UTC: ${sent}`;
  if (!sent || sent.endsWith('Z')) return { excludes, text: body, parts };
  const utc = toUtc(wallOf(sent)!, zone, { gap: 'after' })!;
  if (!isStorable(utc)) return `UNTIL is not in the years 100 to 9999 of UTC: ${sent}`;
  const until = new Date(utc).toISOString().replace(/[-:]|\.\d+/g, '');
  const text = body.replace(/UNTIL=[^;]*/i, `UNTIL=${until}`);
  return { excludes, text, parts: { ...parts, UNTIL: until } };
}
