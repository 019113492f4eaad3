/** A place in a source that reads or writes a table. */
export interface Use {
  /** Undefined: it stands in a variable, and nothing in the file says which tables that may hold. */
  table: string | undefined
  writes: boolean
  /** In characters from the start of the source. */
  at: number
}

const writers = 'insertInto|updateTable|deleteFrom|replaceInto|mergeInto'
const readers = String.raw`selectFrom|innerJoin|leftJoin|rightJoin|fullJoin|\bfrom|\busing`
const named = [
  { writes: true, calls: new RegExp(String.raw`(?:${writers})\(\s*('\w+)`, 'g') },
  { writes: false, calls: new RegExp(String.raw`(?:${readers})\(\s*((?:\[\s*)?(?:'\w+[^']*'[\s,]*)+)`, 'g') },
]
/** `\w+` with a bracket or a dot after it is a query in the place of a table. */
const inVariable = [
  { writes: true, calls: new RegExp(String.raw`(?:${writers})\(\s*(\w+)\s*\)`, 'g') },
  { writes: false, calls: /(?:selectFrom|innerJoin|leftJoin|rightJoin|fullJoin)\(\s*(\w+)\s*[,)]/g },
]
/** Texts of SQL: templates of Kysely, and strings that begin like a statement. */
const statements = [
  /\bsql(?:<[^`]*?>)?`([^`]*)/g,
  /['"]((?:select|insert into|replace into|update|delete from)\s[^'"]*)/g,
]
const inStatement = [
  { writes: true, calls: /\b(?:insert into|replace into|update|delete from)\s+(\w+)/g },
  { writes: false, calls: /(?<!delete )\b(?:from|join)\s+(\w+)/g },
]

/** The tables that a source names as what a variable may hold: by its type, or by the list that it goes through. */
function heldBy(variable: string, text: string): string[] {
  const said = new RegExp(String.raw`\b${variable}(?:: |\sof \[)('\w+'(?:(?: \||,)\s*'\w+')*)`, 'g')
  return [...text.matchAll(said)].flatMap(([, names = '']) => quoted(names))
}

const quoted = (names: string): string[] => [...names.matchAll(/'(\w+)/g)].map(([, name = '']) => name)

/** Where a source reads or writes tables: by the calls of Kysely, and in SQL as text. */
export function usesIn(text: string): Use[] {
  const uses: Use[] = []
  for (const { writes, calls } of named)
    for (const { 1: names = '', index: at } of text.matchAll(calls))
      uses.push(...quoted(names).map((table) => ({ table, writes, at })))
  for (const { writes, calls } of inVariable)
    for (const { 1: variable = '', index: at } of text.matchAll(calls)) {
      const tables = heldBy(variable, text)
      uses.push(...(tables.length > 0 ? tables : [undefined]).map((table) => ({ table, writes, at })))
    }
  for (const statement of statements)
    for (const { 0: whole, 1: body = '', index } of text.matchAll(statement))
      for (const { writes, calls } of inStatement)
        for (const { 1: table, index: at } of body.matchAll(calls))
          uses.push({ table, writes, at: index + whole.length - body.length + at })
  return uses
}
