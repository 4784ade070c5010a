//go:build amd64 && !purego

#include "go_asm.h"
#include "textflag.h"

// Registers that keep their meaning. Every state has a choice and every choice
// an entry, so that loops test at their ends.
//
//	R8   v                 DX   state
//	R9   r.StateStart      CX   choice
//	R10  r.RowStart        AX   entry
//	R11  r.Columns         DI   end of the row
//	R12  r.Probabilities   X1   sum of the row
//	R13  r.Costs
#define LOAD_ARGUMENTS \
	MOVQ r+0(FP), AX                 \
	MOVQ v+24(FP), R8                \
	MOVQ lo+32(FP), DX               \
	MOVQ Rows_StateStart(AX), R9     \
	MOVQ Rows_RowStart(AX), R10      \
	MOVQ Rows_Columns(AX), R11       \
	MOVQ Rows_Probabilities(AX), R12 \
	MOVQ Rows_Costs(AX), R13

// The value of choice CX, whose row is AX … DI−1. It leaves AX = DI.
#define SUM_ROW(entry) \
	XORPS   X1, X1               \
entry:                           \
	MOVLQSX (R11)(AX*4), SI      \
	MOVSD   (R8)(SI*8), X2       \ // v[column]
	MULSD   (R12)(AX*8), X2      \
	INCQ    AX                   \
	ADDSD   X2, X1               \
	CMPQ    AX, DI               \
	JLT     entry                \
	ADDSD   (R13)(CX*8), X1        // + cost

// func backupAMD64(r *Rows, dst *float64, act *int32, v *float64, lo, hi int)
//
// The loop prefetches entries 512 ahead, which is a page of probabilities and
// half a page of columns. R14 is the first entry e for which e+512 has not been
// prefetched. A turn prefetches 16 entries: one cache line of columns and two
// of probabilities.
TEXT ·backupAMD64(SB), NOSPLIT, $0-48
	LOAD_ARGUMENTS
	MOVLQSX (R9)(DX*4), CX
	MOVLQSX (R10)(CX*4), AX
	MOVQ    AX, R14
	MOVQ    $0x7FF0000000000000, BX
	MOVQ    BX, X3                  // +Inf

state:
	MOVLQSX 4(R9)(DX*4), BX // end of the choices
	MOVQ    CX, R15         // best choice
	MOVAPD  X3, X0          // its value

choice:
	MOVLQSX 4(R10)(CX*4), DI
	CMPQ    R14, DI
	JGE     sum

ahead:
	PREFETCHT0 2048(R11)(R14*4)
	PREFETCHT0 4096(R12)(R14*8)
	PREFETCHT0 4160(R12)(R14*8)
	ADDQ       $16, R14
	CMPQ       R14, DI
	JLT        ahead

sum:
	SUM_ROW(entry)
	UCOMISD X1, X0
	CMOVQHI CX, R15    // value < best; not so where one is NaN
	MINSD   X0, X1     // the same comparison: value if value < best, else best
	MOVAPD  X1, X0
	INCQ    CX
	CMPQ    CX, BX
	JLT     choice

	MOVQ  dst+8(FP), SI
	MOVSD X0, (SI)(DX*8)
	MOVQ  act+16(FP), SI
	TESTQ SI, SI
	JEQ   next
	SUBL  (R9)(DX*4), R15
	MOVL  R15, (SI)(DX*4)

next:
	INCQ DX
	CMPQ DX, hi+40(FP)
	JLT  state
	RET

// func backupPolicyAMD64(r *Rows, dst *float64, act *int32, v *float64, lo, hi, ahead int)
//
// The rows that a policy takes do not lie one after another, so the loop
// prefetches the row of one state at a time: BX, which begins with ahead.
TEXT ·backupPolicyAMD64(SB), NOSPLIT, $0-56
	LOAD_ARGUMENTS
	MOVQ act+16(FP), R14
	MOVQ dst+8(FP), R15
	MOVQ ahead+48(FP), BX

state:
	CMPQ       BX, hi+40(FP)
	JGE        sum
	MOVLQSX    (R9)(BX*4), SI
	MOVLQSX    (R14)(BX*4), CX
	ADDQ       SI, CX
	MOVLQSX    (R10)(CX*4), AX
	MOVLQSX    4(R10)(CX*4), DI
	PREFETCHT0 (R11)(AX*4)
	PREFETCHT0 -4(R11)(DI*4)
	PREFETCHT0 (R12)(AX*8)
	PREFETCHT0 64(R12)(AX*8)
	PREFETCHT0 -8(R12)(DI*8)
	INCQ       BX

sum:
	MOVLQSX (R9)(DX*4), SI
	MOVLQSX (R14)(DX*4), CX
	ADDQ    SI, CX
	MOVLQSX (R10)(CX*4), AX
	MOVLQSX 4(R10)(CX*4), DI
	SUM_ROW(entry)
	MOVSD   X1, (R15)(DX*8)
	INCQ    DX
	CMPQ    DX, hi+40(FP)
	JLT     state
	RET

// func prefetchAMD64(r *Rows, near, far int32)
TEXT ·prefetchAMD64(SB), NOSPLIT, $0-16
	MOVQ       r+0(FP), AX
	MOVLQSX    near+8(FP), CX
	MOVLQSX    far+12(FP), DX
	MOVQ       Rows_StateStart(AX), R9
	MOVQ       Rows_RowStart(AX), R10
	MOVQ       Rows_Columns(AX), R11
	MOVQ       Rows_Probabilities(AX), R12
	MOVLQSX    (R9)(DX*4), DX
	PREFETCHT0 (R10)(DX*4)
	MOVLQSX    (R9)(CX*4), CX
	MOVLQSX    (R10)(CX*4), CX
	PREFETCHT0 (R11)(CX*4)
	PREFETCHT0 (R12)(CX*8)
	PREFETCHT0 64(R12)(CX*8)
	RET
