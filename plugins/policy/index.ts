import { definePlugin, field } from '@tapline/plugin-sdk';
import { createEngine } from './engine/client.ts';
import { provideInsights } from './insights.ts';
import { removeOldContexts } from './keep-contexts.ts';
import { evaluateWith } from './judge.ts';
import { createNotes } from './note-evaluated.ts';
import { definePages } from './pages.ts';
import { modes } from './policy.ts';
import { policyDecisionResource } from './resources/policy-decision.ts';
import { policyResource } from './resources/policy.ts';
import { policyWaiverResource } from './resources/policy-waiver.ts';
import { defineSettings } from './settings.ts';
import { createSync } from './sync.ts';
import { judgeLaunch } from './taps/judge-launch.ts';

/** Before a launch starts a policy engine beside the service is asked for allow, warn or deny. */
export default definePlugin({
  id: 'policy',
  title: 'Launch policies',
  version: '1.0.0',
  description: 'Asks a policy engine (Open Policy Agent) about every launch before it starts.',
  sdk: '^1.0.0',
  mandatory: true,
  migrations: new URL('./migrations/', import.meta.url),

  register(api) {
    const engine = createEngine(api);
    const notes = createNotes(api);

    defineSettings(api);
    api.resource(policyResource(api, engine, createSync(api, engine)));
    api.resource(policyWaiverResource(api));
    api.resource(policyDecisionResource(api));
    api.extend('organization', {
      table: 'organization_settings',
      fields: {
        policy_enforcement: field.choice(modes, {
          default: 'none',
          help: 'What policies may do to launches of the organization: nothing, warn, or deny them.',
        }),
      },
    });
    judgeLaunch(api, evaluateWith(engine), notes.note);
    provideInsights(api);
    removeOldContexts(api);
    definePages(api);
    api.onStop(() => notes.flush());
  },
});
