import type { Resource, Route } from '@tapline/plugin-sdk';
import { everybody } from '../rbac/rules.ts';

/** The entry documents: where the versions are, and every list by the name under which clients know it. */
export function rootRoutes(resources: readonly Resource[], routes: readonly Route[]): Route[] {
  const listed = resources
    .filter(({ root, methods }) => root !== false && methods?.list?.length !== 0)
    .map(({ root, path }) => [root || path, `/api/v2/${path}/`]);
  const own = routes.filter(({ root }) => root !== undefined).map(({ root, path }) => [root, path]);
  const lists = Object.fromEntries([...own, ...listed]);
  return [
    {
      path: '/api/',
      access: { GET: everybody },
      summary: 'The versions of the API',
      handler: async () => ({ status: 200, body: versions }),
    },
    {
      path: '/api/v2/',
      access: { GET: everybody },
      summary: 'Every list of this version',
      handler: async () => ({ status: 200, body: lists }),
    },
  ];
}

const versions = {
  description: 'Tapline REST API',
  current_version: '/api/v2/',
  available_versions: { v2: '/api/v2/' },
  oauth2: '/api/o/',
  documentation: '/api/docs/',
  custom_logo: '',
  custom_header_logo: '',
  custom_login_info: '',
  custom_title: '',
  login_redirect_override: '',
};
