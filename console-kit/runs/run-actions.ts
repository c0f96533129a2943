import { t } from '../texts/t.ts';
import { ApiFailure, post } from '../api/http.ts';
import { isActive, type Run } from '../api/types.ts';
import { type BulkAction, remove } from '../bulk/action.ts';

const may = ({ summary_fields: { user_capabilities: may } }: Run, capability: string) => may?.[capability] !== false;

/** Those that can be launched again with the same values. */
const relaunched = new Set(['job', 'ad_hoc_command', 'workflow_job']);

export const runActions: readonly BulkAction<Run>[] = [
  {
    verb: t`Relaunch`,
    doing: t`Relaunching`,
    done: t`launched again`,
    warning: t`Each runs once more with the values it was launched with.`,
    keep: t`Do nothing`,
    harmless: true,
    fits: (run) => !isActive(run) && relaunched.has(run.type) && may(run, 'start'),
    act: (run, launch) => launch(`${run.url}relaunch/`),
  },
  {
    verb: t`Cancel`,
    doing: t`Canceling`,
    done: t`asked to end`,
    warning: t`What they have changed so far stays changed. What they do now is interrupted.`,
    fits: (run) => isActive(run) && run.canceled_on === null && may(run, 'start'),
    act: (run) =>
      post(`${run.url}cancel/`).catch((error: unknown) => {
        // it has ended by itself meanwhile
        if (!(error instanceof ApiFailure && error.status === 405)) throw error;
      }),
  },
  {
    verb: t`Delete`,
    doing: t`Deleting`,
    done: t`deleted`,
    warning: t`Their output goes with them. This cannot be undone.`,
    fits: (run) => !isActive(run) && may(run, 'delete'),
    act: (run) => remove(run.url),
  },
];
