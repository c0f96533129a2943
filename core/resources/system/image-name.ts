const host = /^[a-zA-Z0-9][a-zA-Z0-9.-]{0,252}(:\d{1,5})?$/;
const component = /^[a-z0-9]([a-z0-9._-]{0,253}[a-z0-9])?$/;
const tag = /^\w[\w.-]{0,127}$/;
const digest = /^[a-z0-9]+[a-z0-9+._-]{0,40}:[0-9a-fA-F]{32,128}$/;

/** What is wrong with the name of a container's image, `[host[:port]/]path[:tag][@digest]`; undefined where nothing is. */
export function imageProblem(image: string): string | undefined {
  const [reference = '', ...digests] = image.split('@');
  if (digests.length > 1 || digests.some((one) => !digest.test(one))) return 'The digest after "@" is none.';
  const parts = reference.split('/');
  const last = parts.pop() ?? '';
  const [name = '', ...tags] = last.split(':');
  if (tags.length > 1 || tags.some((one) => !tag.test(one))) return 'The tag after ":" is none.';
  const [first] = parts;
  // only a host has a point, a port or a capital letter
  const hasHost = first !== undefined && (/[.:A-Z]/.test(first) || first === 'localhost');
  if (hasHost && !host.test(first)) return 'The name of the registry is none.';
  const path = [...parts.slice(hasHost ? 1 : 0), name];
  return path.every((one) => component.test(one))
    ? undefined
    : 'The path must be of lower-case letters, digits and . _ - between, separated by "/".';
}
