import { AsyncLocalStorage } from 'node:async_hooks';

/** What entries say of where a change came from. */
interface RequestContext {
  ip: string;
  request_id: string;
}

const requests = new AsyncLocalStorage<RequestContext>();

/** What `work` does is done for this request. */
export const inRequest = <T>(request: RequestContext, work: () => T): T => requests.run(request, work);

/** Empty in background work. */
export const requestContext = (): Partial<RequestContext> => requests.getStore() ?? {};
