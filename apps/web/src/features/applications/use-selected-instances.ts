import type { InstanceListed } from '@app/contract'
import { allows } from '@app/contract/scopes'
import { useMemo } from 'react'
import { useRole } from '../../lib/can.ts'
import { selectColumn } from '../../ui/Selection.tsx'
import { type Column, searchRows } from '../../ui/table-model.ts'
import { type Selection, useSelection } from '../../ui/use-selection.ts'
import { mayAct } from '../instances/index.ts'

type Row = Pick<InstanceListed, 'id' | 'name' | 'meta'>

/**
 * The columns of a table of instances, with boxes for those who may start and stop them; and what these select, of the
 * rows that hold the searched text. `selection` is undefined for everybody else.
 */
export function useSelectedInstances<Of extends Row>(
  rows: Of[] | undefined,
  own: Column<Of>[],
  text: string,
): { columns: Column<Of>[]; selection: Selection | undefined; selected: Of[] } {
  const role = useRole()
  const may = mayAct('list', (scope) => allows(role, scope))
  const found = useMemo(() => searchRows(rows ?? [], own, text), [rows, own, text])
  const selection = useSelection(found)
  const columns = useMemo(() => (may ? [selectColumn<Of>(selection), ...own] : own), [may, selection, own])
  const selected = useMemo(() => found.filter(({ id }) => selection.isSelected(id)), [found, selection])
  return { columns, selection: may ? selection : undefined, selected }
}
