import { definePlugin } from '@tapline/plugin-sdk';
import { accessOf } from './access.ts';
import { Pump } from './deliver/pump.ts';
import { createSend } from './deliver/send.ts';
import { defineGroup } from './live.ts';
import { deliveryResource } from './resources/delivery.ts';
import { outboundWebhookResource } from './resources/outbound-webhook.ts';
import { defineRetention } from './retention.ts';
import { defineSettings } from './settings.ts';
import { noteStatus } from './taps/note-status.ts';

/** Changes of jobs and workflows leave as signed requests (specification, "Events" 4). */
export default definePlugin({
  id: 'outbound-webhooks',
  title: 'Outbound webhooks',
  version: '1.0.0',
  description: 'Sends signed requests when jobs and workflows start and end.',
  sdk: '^1.0.0',
  migrations: new URL('./migrations/', import.meta.url),

  register(api) {
    const send = createSend(api);
    const pump = new Pump(api, send);
    const wake = () => pump.wake();

    defineSettings(api);
    api.resource(outboundWebhookResource(api, send));
    api.resource(deliveryResource(api, wake));
    noteStatus(api, wake);
    defineGroup(api, accessOf(api));
    defineRetention(api);
    api.page({
      path: '/outbound_webhooks',
      title: 'Outbound webhooks',
      module: new URL('./pages/webhooks.js', import.meta.url),
      nav: { order: 820 },
    });
    api.onStart(() => pump.start());
    api.onStop(() => pump.stop());
  },
});
