import { ApiError, type PluginApi, ValidationError } from '@tapline/plugin-sdk';
import { limitProblemOf } from './limit.ts';

/** The host that is to be put right. */
export interface Target {
  name: string;
  enabled: boolean;
  inventory_id: number;
  /** how often that was done */
  remediations: number;
  remediation_job_id: number | null;
  under_way: boolean;
  groups: string[];
}

/** The host of a detection. @throws ApiError where no run can be for it alone, or one is under way */
export async function targetOf({ db, table }: PluginApi, detection: number): Promise<Target> {
  const { rows } = await db.raw(
    `select h.name, h.enabled, h.inventory_id, d.remediations, d.remediation_job_id, r.id is not null and r.finished is null as under_way,
       array(select g.name from core_groups g where g.inventory_id = h.inventory_id and g.name = h.name) as groups
     from ${table('detections')} d join core_hosts h on h.id = d.host_id left join core_runs r on r.id = d.remediation_job_id
     where d.id = ?`,
    [detection],
  );
  const target = rows[0] as Target;
  if (target.under_way) throw underWay(target.remediation_job_id!);
  const problem = target.enabled ? limitProblemOf(target.name, new Set(target.groups)) : 'The host is disabled.';
  if (problem) throw new ValidationError({ __all__: [problem] });
  return target;
}

export const underWay = (run: number) => new ApiError(409, `Run ${run} for it is under way.`);
