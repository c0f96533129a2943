import type { Resource } from '@tapline/console-kit';
import { t } from '@tapline/console-kit/texts';

export const executionEnvironment: Resource = {
  path: 'execution_environments',
  type: 'execution_environment',
  one: t`execution environment`,
  many: t`execution environments`,
  intro: t`Images of containers in which the engine may run.`,
  columns: ['name', 'image', 'organization', 'pull'],
  fields: ['name', 'description', 'organization', 'image', 'pull', 'credential'],
  relations: { credential: 'credentials/?credential_type__kind=registry' },
};
