import type { Resource } from '@tapline/console-kit';

export const executionEnvironment: Resource = {
  path: 'execution_environments',
  type: 'execution_environment',
  one: 'execution environment',
  many: 'execution environments',
  intro: 'Images of containers in which the engine may run.',
  columns: ['name', 'image', 'organization', 'pull'],
  fields: ['name', 'description', 'organization', 'image', 'pull', 'credential'],
  relations: { credential: 'credentials/?credential_type__kind=registry' },
};
