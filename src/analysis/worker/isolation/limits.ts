/**
 * Limits of a worker process. Buffers and WebAssembly memory are outside the heap that Node can
 * limit; the kernel counts them.
 */
export const MEMORY_BYTES = 1536 * 1024 * 1024;

/** A worker has about a dozen threads, and bubblewrap two processes. */
export const THREADS = 64;
