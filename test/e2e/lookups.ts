/** Sends concurrent lookups, distributed over the servers, and counts the responses by status. */
export async function countLookups(
  urls: readonly string[],
  token: string,
  calls: number,
): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  await Promise.all(
    Array.from({ length: calls }, async (_, number) => {
      const url = `${urls[number % urls.length]}/private/sample/${'0'.repeat(64)}`;
      const answer = await fetch(url, { headers: { authorization: token } });
      await answer.text();
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    }),
  );
  return statuses;
}
