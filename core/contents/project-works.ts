import type { LaunchWork, NamedRecord } from '@tapline/plugin-sdk';
import { Copies } from './copies.ts';
import type { Asking, ContentsDeps } from './deps.ts';
import { mostParts, type Part, worksOfParts } from './works.ts';

interface TemplateRow extends NamedRecord, Pick<Part, 'kind' | 'project_id' | 'playbook' | 'scm_branch'> {}

/** What launches of the project's templates would run, as it is now: it is not updated for that. */
export async function projectWorks(
  deps: ContentsDeps,
  asking: Asking,
  project: number,
): Promise<readonly LaunchWork[]> {
  const rows: TemplateRow[] = await deps
    .db('templates')
    .distinctOn('playbook', 'scm_branch')
    .where({ project_id: project })
    .whereIn('kind', kindsWithFiles(deps))
    .whereNot('playbook', '')
    .orderBy(['playbook', 'scm_branch', 'id'])
    .limit(mostParts + 1)
    .select('id', 'name', 'kind', 'project_id', 'playbook', 'scm_branch');
  if (rows.length > mostParts)
    throw new Error(`The project has more than ${mostParts} playbooks in templates: they are not listed.`);
  const parts = rows.map(({ id, name, scm_branch, ...row }) => ({
    ...row,
    scm_branch: scm_branch ?? '',
    node: null,
    workflow: null,
    template: { id, name },
  }));
  return worksOfParts(deps, parts, new Copies(deps, asking, async (current) => current));
}

const kindsWithFiles = ({ kinds }: Pick<ContentsDeps, 'kinds'>): string[] =>
  kinds.all().flatMap(({ content, template }) => (content && template !== null ? [template] : []));
