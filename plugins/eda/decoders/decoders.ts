import type { PluginApi } from '@tapline/plugin-sdk';
import { type Decoder, eventDecoder } from './decoder.ts';
import { signedAlike } from './generic.ts';
import { scmA } from './scm-a.ts';
import { scmB } from './scm-b.ts';

export function offerDecoders(api: PluginApi): void {
  api.point(eventDecoder);
  for (const decoder of [...signedAlike, scmA, scmB]) api.offer(eventDecoder, decoder);
}

export const decoderOf = (api: Pick<PluginApi, 'use'>, sourceType: string): Decoder | undefined =>
  api.use(eventDecoder).find(({ source_type: type }) => type === sourceType);
