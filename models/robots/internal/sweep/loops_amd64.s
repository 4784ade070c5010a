//go:build amd64 && !purego

#include "textflag.h"

// The loop handles elements AX … AX+3 at a time. CX is n−4, where the last
// turn begins: it overlaps the turn before unless 4 divides n, and computes
// some elements twice, which is harmless because dst overlaps no input.
#define NEXT(loop, done) \
	CMPQ AX, CX \ // the last turn is done
	JEQ  done   \
	ADDQ $4, AX \
	CMPQ AX, CX \
	JLE  loop   \
	MOVQ CX, AX \ // no whole turn is left: end flush with n
	JMP  loop

// The pass at DX: its numbers in all four lanes. Y0 and Y1 gather the least
// and the greatest lane by lane.
#define LOAD_PASS \
	VBROADCASTSD 0(DX), Y14  \ // damping
	VBROADCASTSD 8(DX), Y15  \ // shift
	VBROADCASTSD 16(DX), Y0  \ // least
	VBROADCASTSD 24(DX), Y1    // greatest

// Y3 is T v, Y4 is v.
#define UPDATE \
	VSUBPD  Y4, Y3, Y3        \ // d = T v − v
	VMINPD  Y3, Y0, Y0        \ // least
	VMAXPD  Y3, Y1, Y1        \ // greatest
	VMULPD  Y3, Y14, Y3       \ // damping·d
	VADDPD  Y3, Y4, Y4        \ // v + damping·d
	VSUBPD  Y15, Y4, Y4       \ // v + damping·d − shift
	VMOVUPD Y4, (DI)(AX*8)

// The extremes over the four lanes, back into the pass.
#define STORE_PASS \
	VEXTRACTF128 $1, Y0, X2 \ // lanes 2 and 3
	VMINPD       X2, X0, X0 \ // of lanes 0 and 2, 1 and 3
	VPERMILPD    $1, X0, X2 \
	VMINSD       X2, X0, X0 \
	VMOVSD       X0, 16(DX) \
	VEXTRACTF128 $1, Y1, X2 \
	VMAXPD       X2, X1, X1 \
	VPERMILPD    $1, X1, X2 \
	VMAXSD       X2, X1, X1 \
	VMOVSD       X1, 24(DX)

// func pairsAVX2(p *Pass, dst, v, below, above, arrival, fictitious, cost *float64, n int, departure float64)
TEXT ·pairsAVX2(SB), NOSPLIT, $0-80
	MOVQ         p+0(FP), DX
	MOVQ         dst+8(FP), DI
	MOVQ         v+16(FP), SI
	MOVQ         below+24(FP), R8
	MOVQ         above+32(FP), R9
	MOVQ         arrival+40(FP), R10
	MOVQ         fictitious+48(FP), R11
	MOVQ         cost+56(FP), R12
	MOVQ         n+64(FP), CX
	VBROADCASTSD departure+72(FP), Y13
	LOAD_PASS
	SUBQ         $4, CX
	XORQ         AX, AX

loop:
	VMOVUPD (R8)(AX*8), Y3
	VMINPD  8(R8)(AX*8), Y3, Y3 // min(below[i], below[i+1])
	VMULPD  Y3, Y13, Y3         // · departure
	VMOVUPD (R9)(AX*8), Y5
	VMINPD  8(R9)(AX*8), Y5, Y5 // min(above[i], above[i+1])
	VMULPD  (R10)(AX*8), Y5, Y5 // · arrival
	VADDPD  Y5, Y3, Y3
	VMOVUPD (SI)(AX*8), Y4      // v
	VMULPD  (R11)(AX*8), Y4, Y6 // · fictitious
	VADDPD  Y6, Y3, Y3
	VADDPD  (R12)(AX*8), Y3, Y3 // + cost
	UPDATE
	NEXT(loop, done)

done:
	STORE_PASS
	VZEROUPPER
	RET
