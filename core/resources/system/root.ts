import type { Resource, Route } from '@tapline/plugin-sdk';
import type { Settings } from '../../settings/settings.ts';
import { mapOf, record, text } from '../../descriptors/describe/json-schema.ts';
import { everybody } from '../../rbac/rules.ts';

/** The entry documents: where the versions are, and every list by the name under which clients know it. */
export function rootRoutes(
  { settings }: { settings: Pick<Settings, 'get'> },
  resources: readonly Resource[],
  routes: readonly Route[],
): Route[] {
  const listed = resources
    .filter(({ root, methods }) => root !== false && methods?.list?.length !== 0)
    .map(({ root, path }) => [root || path, `/api/v2/${path}/`]);
  const own = routes.filter(({ root }) => root !== undefined).map(({ root, path }) => [root, path]);
  const lists = Object.fromEntries([...own, ...listed]);
  return [
    {
      path: '/api/',
      access: { GET: everybody },
      answers: { GET: { schema: versionsSchema } },
      summary: 'The versions of the API',
      handler: async () => ({ status: 200, body: { ...versions, ...loginPage(settings) } }),
    },
    {
      path: '/api/v2/',
      access: { GET: everybody },
      answers: { GET: { schema: mapOf(text) } },
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
};

const versionsSchema = record({
  description: text,
  current_version: text,
  available_versions: record({ v2: text }),
  oauth2: text,
  documentation: text,
  custom_logo: text,
  custom_header_logo: text,
  custom_login_info: text,
  custom_title: text,
  login_redirect_override: text,
});

/** What the web client shows before anybody has logged in. */
const loginPage = (settings: Pick<Settings, 'get'>) => ({
  custom_logo: settings.get('CUSTOM_LOGO'),
  custom_header_logo: settings.get('CUSTOM_HEADER_LOGO'),
  custom_login_info: settings.get('CUSTOM_LOGIN_INFO'),
  custom_title: settings.get('CUSTOM_TITLE'),
  login_redirect_override: settings.get('LOGIN_REDIRECT_OVERRIDE'),
});
