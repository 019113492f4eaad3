/**
 * Asks again until the answer satisfies.
 * @throws Error with the last answer after the deadline.
 */
export async function until<T>(
  ask: () => Promise<T>,
  satisfied: (answer: T) => boolean,
  deadlineMs = 30_000,
): Promise<T> {
  const end = Date.now() + deadlineMs
  for (;;) {
    const answer = await ask()
    if (satisfied(answer)) return answer
    if (Date.now() > end) throw new Error(`Still not after ${deadlineMs} ms: ${JSON.stringify(answer)?.slice(0, 500)}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
