import { authenticated, definePlugin } from '@tapline/plugin-sdk';
import { createInputs } from './inputs.ts';
import { inputReaders } from './input-readers.ts';
import { recommend } from './recommend.ts';
import { recommendationsSchema } from './recommendations-schema.ts';
import { catalogue } from './rules/catalogue.ts';
import { queriedScopes, readScope } from './scopes.ts';

/** Read-only hints about the health of the platform (specification, "Recommendations"). */
export default definePlugin({
  id: 'recommendations',
  title: 'Recommendations',
  version: '1.0.0',
  description: 'Read-only hints about the health of the platform, computed live by rules.',
  sdk: '^1.0.0',

  register(api) {
    const inputs = createInputs(api, inputReaders);

    for (const rule of catalogue) api.offer('recommendation.rule', rule);

    api.route({
      path: '/api/v2/recommendations/',
      root: 'recommendations',
      summary: 'What the platform would be better for, most severe first',
      access: { GET: authenticated },
      answers: { GET: { schema: recommendationsSchema } },
      openapi: {
        GET: {
          parameters: [
            {
              name: 'scope',
              in: 'query',
              description: 'Only recommendations of this scope.',
              schema: { type: 'string', enum: queriedScopes, default: 'all' },
            },
          ],
        },
      },
      handler: async (call) => ({
        status: 200,
        body: await recommend(api, { inputs: await inputs(), scope: readScope(call.query), call }),
      }),
    });

    api.nav({ path: '/recommendations', label: 'Recommendations', order: 150 });
  },
});
