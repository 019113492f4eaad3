/** Bounds on what is open at once; each stream costs a connection and a look into the database every 20 seconds. */
export interface Seats {
  /** Takes a seat; undefined when there is none. What it returns leaves the seat, and may be called again. */
  take(userId: string): (() => void) | undefined
}

export function createSeats(most: { perUser: number; inAll: number }): Seats {
  const taken = new Map<string, number>()
  let all = 0
  return {
    take(userId) {
      const own = taken.get(userId) ?? 0
      if (own >= most.perUser || all >= most.inAll) return undefined
      taken.set(userId, own + 1)
      all += 1
      let left = false
      return () => {
        if (left) return
        left = true
        all -= 1
        const rest = taken.get(userId)! - 1
        if (rest === 0) taken.delete(userId)
        else taken.set(userId, rest)
      }
    },
  }
}
