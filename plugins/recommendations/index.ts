import { authenticated, definePlugin } from '@tapline/plugin-sdk';
import { healthOf } from './health.ts';
import { createInputs } from './inputs.ts';
import { inputReaders } from './input-readers.ts';
import { recommend } from './recommend.ts';
import { recommendationsSchema } from './recommendations-schema.ts';
import { recommendationRule } from './rule-point.ts';
import { catalogue } from './rules/catalogue.ts';
import { queriedScopes, readScope } from './scopes.ts';
import { defineSettings } from './settings.ts';

/** Read-only hints about the health of the platform (specification, "Recommendations"). */
export default definePlugin({
  id: 'recommendations',
  title: 'Recommendations',
  version: '1.0.0',
  description: 'Read-only hints about the health of the platform, computed live by rules.',
  sdk: '^1.0.0',

  register(api) {
    const read = createInputs(api, inputReaders);

    defineSettings(api);
    api.point(recommendationRule);
    for (const rule of catalogue) api.offer(recommendationRule, rule);

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
        body: await recommend(api, { ...(await read()), scope: readScope(call.query), call }),
      }),
    });

    api.health(async () => healthOf(await read()));
    api.page({
      path: '/recommendations',
      title: 'Recommendations',
      module: new URL('./pages/recommendations.js', import.meta.url),
      nav: { order: 150 },
    });
  },
});
