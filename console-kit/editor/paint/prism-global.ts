import Prism from 'prismjs';

// it must not look for anything on the page by itself
Prism.manual = true;
// its languages look for it there
Object.assign(globalThis, { Prism });

export { Prism };
