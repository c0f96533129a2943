import { definePlugin } from '@tapline/plugin-sdk';
import { accessOf } from './access.ts';
import { offerDecoders } from './decoders/decoders.ts';
import { Relay } from './evaluate/relay.ts';
import { defineEvaluate } from './evaluate/task.ts';
import { offerTimeline } from './host-timeline.ts';
import { defineGroup } from './live.ts';
import { receiverRoute } from './receive/receiver.ts';
import { createStore } from './receive/store.ts';
import { eventLogResource } from './resources/event-log.ts';
import { eventRuleResource } from './resources/event-rule.ts';
import { definePages } from './pages.ts';
import { defineRetention } from './retention.ts';
import { defineSettings } from './settings.ts';
import { defineSweep } from './sweep.ts';

/** Signed webhooks come in, rules match, and something is launched (specification, "Event-driven automation"). */
export default definePlugin({
  id: 'eda',
  title: 'Event-driven automation',
  version: '1.0.0',
  description: 'Receives signed webhooks, judges them by rules and launches templates or sends notifications.',
  sdk: '^1.0.0',
  migrations: new URL('./migrations/', import.meta.url),

  register(api) {
    const relay = new Relay(api, defineEvaluate(api));
    const queue = () => relay.wake();

    defineSettings(api);
    offerDecoders(api);
    offerTimeline(api);
    api.resource(eventRuleResource(api));
    api.resource(eventLogResource(api, queue));
    api.route(receiverRoute(api, createStore(api, queue)));
    defineGroup(api, accessOf(api));
    defineSweep(api);
    defineRetention(api);
    definePages(api);
    api.onStart(() => relay.start());
    api.onStop(() => relay.stop());
    api.insights.provide('events.rules', async () =>
      Number((await api.db(api.table('event_rules')).where({ enabled: true }).count())[0]?.['count'] ?? 0),
    );
  },
});
