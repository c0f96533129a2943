import { type LaunchTemplate, notFound, type PlanRequest, type RunPlan } from '@tapline/plugin-sdk';
import { redactUrl } from '../../scm/url.ts';

const copied = [
  'organization_id',
  'scm_type',
  'scm_url',
  'scm_branch',
  'scm_refspec',
  'scm_clean',
  'scm_track_submodules',
  'scm_delete_on_update',
  'credential_id',
  'local_path',
  'timeout',
  'name',
  'description',
];

/** A project with the names of what it uses. */
interface ProjectRow extends LaunchTemplate {
  [column: string]: unknown;
  scm_url: string;
  scm_type: string;
  organization: string | null;
  credential_id: number | null;
  credential: string;
  credential_kind: string;
}

const named = (id: number | null, name: string | null) => (id === null || name === null ? null : { id, name });

const usesOf = (project: ProjectRow): RunPlan['uses'] => ({
  project: named(project.id, project.name),
  organization: named(project.organization_id, project.organization),
  credentials:
    project.credential_id === null
      ? []
      : [{ id: project.credential_id, name: project.credential, kind: project.credential_kind }],
});

/** Where the source is may hold a password. */
const withoutNames = ({
  organization: _o,
  credential: _c,
  credential_kind: _k,
  webhook_key: _w,
  scm_url: url,
  ...row
}: ProjectRow) => ({
  ...row,
  scm_url: redactUrl(url),
});

/** An update takes over the project's source as it is; one of the same project waits for the other. */
export async function planUpdate({ db, template, columns }: PlanRequest): Promise<RunPlan> {
  const project: ProjectRow | undefined = await db('templates as p')
    .leftJoin('organizations as o', 'o.id', 'p.organization_id')
    .leftJoin('credentials as c', 'c.id', 'p.credential_id')
    .leftJoin('credential_types as t', 't.id', 'c.credential_type_id')
    .where({ 'p.id': template, 'p.kind': 'project' })
    .first('p.*', {
      organization: 'o.name',
      credential: 'c.name',
      credential_kind: db.raw('coalesce(t.namespace, t.kind)'),
    });
  if (!project) throw notFound('No Project matches the given query.');
  const key = `project:${project.id}`;
  return {
    columns: {
      template_id: project.id,
      project_id: project.id,
      job_type: 'check',
      // what it fetches is for all nodes
      places: [],
      ...Object.fromEntries(copied.map((name) => [name, project[name]])),
      ...columns,
    },
    errors: project.scm_type ? {} : { scm_type: ['A manual project has no source that could be fetched.'] },
    locks: { holds: [key], waitsFor: [key] },
    template: withoutNames(project),
    uses: usesOf(project),
  };
}
