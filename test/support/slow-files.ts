/** In seconds, roughly, as test/run.ts tells them at its end: begun late, one of these would run on when all others have ended. */
const seconds: Record<string, number> = {
  'test/rbac/oracle.test.ts': 300,
  'test/access/matrix.test.ts': 300,
  'test/chaos/chaos.test.ts': 275,
  'test/rbac/oracle-api.test.ts': 270,
  'test/http/bad-input.test.ts': 250,
  'test/faults/database-outage.test.ts': 228,
  'test/plugins/hostile.test.ts': 172,
  'test/runner/playbooks.test.ts': 167,
  'test/clients/awx.test.ts': 157,
  'test/clients/collection.test.ts': 150,
  'test/access/capabilities.test.ts': 141,
  'test/platform/interrupt.test.ts': 138,
  'test/http/filter-fuzz.test.ts': 136,
  'test/faults/every-run-ends.test.ts': 60,
  'test/http/body-fuzz.test.ts': 60,
  'test/engine/formats-many.test.ts': 60,
  'test/console/every-page.test.ts': 300,
  'test/console/pages.test.ts': 60,
  'test/conformance/off-leaves-no-trace.test.ts': 60,
  'test/settings/effects.test.ts': 60,
  'test/scm/requirements.test.ts': 60,
  'test/runner/executor.test.ts': 60,
  'test/plugins/watch.test.ts': 50,
  'test/plugins/third-party.test.ts': 40,
};

/** The slow ones first; what is not known keeps its order. */
export const longestFirst = (files: readonly string[]): string[] =>
  files.toSorted((a, b) => (seconds[b] ?? 0) - (seconds[a] ?? 0));
