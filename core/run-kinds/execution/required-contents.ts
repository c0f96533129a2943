import type { ExecSpec, SearchPath } from '@tapline/plugin-sdk';
import { join } from 'node:path';
import { enginePlaces } from './engine-run.ts';

/** Found by the engine's defaults, so that a project's own configuration may still name other places. */
export const projectContents: NonNullable<ExecSpec['links']> = [
  { path: 'home/.ansible/collections', target: '../../project/collections' },
  { path: 'home/.ansible/roles', target: '../../project/roles' },
];

/** @param requirements where what the project requires is installed; null = nowhere */
export const rolePaths = (requirements: string | null): SearchPath[] =>
  requirements === null
    ? []
    : [
        {
          variable: 'ANSIBLE_ROLES_PATH',
          keys: ['roles_path'],
          first: [join(requirements, 'roles')],
          otherwise: `${enginePlaces('roles')}:/etc/ansible/roles`,
        },
      ];

export const collectionPaths = (requirements: string | null): SearchPath[] =>
  requirements === null
    ? []
    : [
        {
          variable: 'ANSIBLE_COLLECTIONS_PATH',
          keys: ['collections_path', 'collections_paths'],
          first: [join(requirements, 'collections')],
          otherwise: enginePlaces('collections'),
        },
      ];
