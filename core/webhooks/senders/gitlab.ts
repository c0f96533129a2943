import { headerCalled } from '../../config/named-alike.ts';
import { cutText } from '../../db/safe-text.ts';
import { at, digestOf, onHostOf, type Report, sameText, type Sender } from './sender.ts';

const refs: Record<string, string> = {
  'Push Hook': 'checkout_sha',
  'Tag Push Hook': 'checkout_sha',
  'Merge Request Hook': 'object_attributes.last_commit.id',
  'Note Hook': 'merge_request.last_commit.id',
};

const states: Record<Report['state'], string> = {
  pending: 'pending',
  running: 'running',
  success: 'success',
  failure: 'failed',
  error: 'failed',
};

const pushes = new Set(['Push Hook', 'Tag Push Hook']);

export const gitlab: Sender = {
  name: 'gitlab',
  isSigned({ headers }, key) {
    const token = headerCalled(headers, 'x-gitlab-token');
    return token !== undefined && sameText(token, key);
  },
  type: (headers) => headerCalled(headers, 'x-gitlab-event') ?? '',
  // what it numbers are its tries, not what they tell of
  guid: ({ bytes }) => digestOf(bytes),
  ref: (type, payload) => at(payload, refs[type] ?? ''),
  pushed: (type, payload) => (pushes.has(type) ? [at(payload, 'ref')].filter(Boolean) : []),
  statusApi(type, payload) {
    const [commit, project] = [gitlab.ref(type, payload), at(payload, 'project.id')];
    const path = `/api/v4/projects/${encodeURIComponent(project)}/statuses/${encodeURIComponent(commit)}`;
    return commit && project
      ? onHostOf(at(payload, 'project.git_http_url') || at(payload, 'project.web_url'), path)
      : '';
  },
  report: ({ state, name, description, address }, token) => ({
    headers: { 'private-token': token },
    body: JSON.stringify({
      state: states[state],
      name,
      description: cutText(description, 255),
      ...(address && { target_url: address }),
    }),
  }),
};
