import { points, type Route } from '@tapline/plugin-sdk';
import { mapOf, record, text } from '../../descriptors/describe/json-schema.ts';
import { offersTo } from '../../plugins/points.ts';
import type { Registries } from '../../plugins/registries.ts';
import { everybody } from '../../rbac/rules.ts';

const provider = record({ login_url: text, complete_url: text, metadata_url: text, label: text }, [
  'metadata_url',
  'label',
]);

/** The ways to log in besides name and password, before anybody has logged in. */
export const authRoute = ({ registries }: { registries?: Registries }): Route => ({
  path: '/api/v2/auth/',
  summary: 'Further ways to log in',
  access: { GET: everybody },
  answers: { GET: { schema: mapOf(provider) } },
  async handler() {
    const offered = registries ? offersTo(registries, points.loginProvider) : [];
    const shown = offered.map(({ name, login_url, complete_url, metadata_url, label }) => [
      name,
      { login_url, complete_url, ...(metadata_url && { metadata_url }), ...(label && { label }) },
    ]);
    return { status: 200, body: Object.fromEntries(shown) };
  },
});
