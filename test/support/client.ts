import type { Answer } from '@tapline/plugin-sdk/testing';
import type { Catalog } from '../../core/descriptors/compile.ts';
import { askService, basic, type Question } from '../../core/testing/client.ts';
import { checkOf } from './described.ts';

export { type Answer, basic, type Question };

export interface Service {
  url: string;
  services: { catalog: Catalog };
}

/** Asks a service. Throws where the answer is not what the service's own description of its API tells. */
export async function ask({ url, services }: Service, question: Question): Promise<Answer> {
  const { method, path, body } = question;
  const answer = await askService(url, question);
  const { pathname } = new URL(path, url);
  // pages and what watches the service are no part of the API
  if (!pathname.startsWith('/api/')) return answer;
  const sent = typeof body === 'string' || body instanceof Uint8Array ? undefined : body;
  const lies = checkOf(services.catalog)({ method, path: pathname, body: sent, answer });
  if (lies.length) throw new Error(`not as the API describes itself: ${lies.join('; ')}`);
  return answer;
}
