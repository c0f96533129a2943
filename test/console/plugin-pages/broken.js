export function show() {
  throw new Error('The hinge is <b>off</b>.');
}
