// Which Node can run the program. Plain old JavaScript without imports: every version must be able to say no.

// Like `engines` in package.json.
const LEAST = [24, 12];
const [major, minor] = process.versions.node.split('.').map(Number);

export const isNewEnough = major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);

export const TOO_OLD = `Node ${LEAST.join('.')} or newer is needed; this is ${process.versions.node}. Install it, or the pinned one with npm ci (Linux x64 and arm64)`;
