import type { Behaviour, Phase } from './hostile-plugin.ts';

type Row = Record<Behaviour, RegExp>;

/** A failure of any kind does `fails`; what is only odd or slow goes on as `goes`; the rest is told one by one. */
const row = (fails: RegExp, goes: RegExp, more: Partial<Row> = {}): Row => ({
  throw: fails,
  reject: fails,
  'throw null': fails,
  lie: fails,
  leak: goes,
  flood: goes,
  'call late': fails,
  block: goes,
  hang: fails,
  ...more,
});

const failed = /^500 A server error occurred\./;
const late = /^503 Plugin hostile did not answer within 10 s/;
// a tap blocks for longer than it has time
const retried = row(/^tap (threw|timed out): /, /^tap ok/, {
  lie: /^tap ok/,
  flood: /^tap (ok|timed out)/,
  block: /^tap timed out: /,
});
const again = row(/^failed, is tried again: /, /^done/, { lie: /^done/, flood: /^(done|failed, is tried again)/ });

/** What core does, phase by phase: it differs from what it does with a plugin that behaves only as declared. */
export const expected: Record<Phase, Row> = {
  route: row(/^500, 37 bytes/, /^200, 11 bytes/, {
    flood: /^(200, 100000000 bytes|the client gives up)/,
    hang: /^the client gives up/,
  }),
  'resource hook': row(failed, /^201/, { lie: /^201/, hang: late }),
  // it runs for each row and nobody waits for it, so what it returns is nothing
  serializer: row(failed, /^200/, { reject: /^200/, lie: /^200/, hang: /^200/ }),
  extension: row(/^200, 1 organizations/, /^200, 1 organizations/),
  'beforeStart allow': row(/^201 hostile:allows .*; launch allowed by its fail mode\./, /^201( line 0 of many|$)/, {
    block: /^201 hostile:allows was too late; launch allowed by its fail mode\./,
  }),
  'beforeStart deny': row(/^403 hostile:denies could not decide .* by its fail mode\./, /^201( line 0 of many|$)/, {
    block: /^403 hostile:denies could not decide .* by its fail mode\./,
  }),
  onStatusChange: retried,
  afterFinish: retried,
  onFactsUpdated: retried,
  task: again,
  cron: again,
  health: row(/^failed /, /^ok/, { flood: /^degraded x{50,}/ }),
  insight: row(/^reads as 0/, /^reads as 7/, { flood: /^reads as 0/ }),
  join: row(/^refused/, /^joined/, { flood: /^refused/ }),
  guard: row(/^500 .*, nothing written/, /^201, written/, {
    lie: /^201, written/,
    hang: /^503 Plugin hostile .*, nothing written/,
  }),
  'restrict row': row(failed, /^200/, { lie: /^404/, hang: late }),
  'restrict query': row(failed, /^200/, { lie: /^200/, hang: failed }),
};
