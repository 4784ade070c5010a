//go:build amd64 && !purego

#include "textflag.h"

// A tile of C stays in registers for all of inner: C is loaded, products are
// added to it one after the other, C is stored. Tiles are 4 rows by 8 columns
// where there are as many, else of 1 row, or of 4 columns.
//
// Registers: DI, DX the strip of C and B (8 or 4 columns) at hand; R8, R9, R10
// the strides of C, A, B in bytes; CX, AX the row of C and A at hand, BX the
// rows left; in the innermost loop R11 counts, R12 goes through B, R13 and R15
// through rows 0 and 2 of A.

// PRODUCT2 adds a·(Y12, Y13) to (c0, c1), and PRODUCT1 a·Y12 to c0, where a is
// the element of A at the given address. Nothing is fused.
#define PRODUCT2(address, c0, c1) \
	VBROADCASTSD address, Y14 \
	VMULPD       Y12, Y14, Y15 \
	VADDPD       Y15, c0, c0   \
	VMULPD       Y13, Y14, Y14 \
	VADDPD       Y14, c1, c1

#define PRODUCT1(address, c0) \
	VBROADCASTSD address, Y14 \
	VMULPD       Y12, Y14, Y15 \
	VADDPD       Y15, c0, c0

// func multiplyAddAVX(c, a, b *float64, strideC, strideA, strideB, rows, columns, inner int)
TEXT ·multiplyAddAVX(SB), NOSPLIT, $0-72
	MOVQ c+0(FP), DI
	MOVQ b+16(FP), DX
	MOVQ strideC+24(FP), R8
	MOVQ strideA+32(FP), R9
	MOVQ strideB+40(FP), R10
	SHLQ $3, R8
	SHLQ $3, R9
	SHLQ $3, R10

strip8:
	CMPQ columns+56(FP), $8
	JLT  strip4
	MOVQ DI, CX
	MOVQ a+8(FP), AX
	MOVQ rows+48(FP), BX

rows4x8:
	CMPQ    BX, $4
	JLT     rows1x8
	LEAQ    (CX)(R8*2), SI
	VMOVUPD (CX), Y0
	VMOVUPD 32(CX), Y1
	VMOVUPD (CX)(R8*1), Y2
	VMOVUPD 32(CX)(R8*1), Y3
	VMOVUPD (SI), Y4
	VMOVUPD 32(SI), Y5
	VMOVUPD (SI)(R8*1), Y6
	VMOVUPD 32(SI)(R8*1), Y7
	MOVQ    inner+64(FP), R11
	MOVQ    DX, R12
	MOVQ    AX, R13
	LEAQ    (AX)(R9*2), R15

inner4x8:
	VMOVUPD (R12), Y12
	VMOVUPD 32(R12), Y13
	PRODUCT2((R13), Y0, Y1)
	PRODUCT2((R13)(R9*1), Y2, Y3)
	PRODUCT2((R15), Y4, Y5)
	PRODUCT2((R15)(R9*1), Y6, Y7)
	ADDQ    R10, R12
	ADDQ    $8, R13
	ADDQ    $8, R15
	DECQ    R11
	JNZ     inner4x8
	VMOVUPD Y0, (CX)
	VMOVUPD Y1, 32(CX)
	VMOVUPD Y2, (CX)(R8*1)
	VMOVUPD Y3, 32(CX)(R8*1)
	VMOVUPD Y4, (SI)
	VMOVUPD Y5, 32(SI)
	VMOVUPD Y6, (SI)(R8*1)
	VMOVUPD Y7, 32(SI)(R8*1)
	LEAQ    (CX)(R8*4), CX
	LEAQ    (AX)(R9*4), AX
	SUBQ    $4, BX
	JMP     rows4x8

rows1x8:
	TESTQ   BX, BX
	JZ      next8
	VMOVUPD (CX), Y0
	VMOVUPD 32(CX), Y1
	MOVQ    inner+64(FP), R11
	MOVQ    DX, R12
	MOVQ    AX, R13

inner1x8:
	VMOVUPD (R12), Y12
	VMOVUPD 32(R12), Y13
	PRODUCT2((R13), Y0, Y1)
	ADDQ    R10, R12
	ADDQ    $8, R13
	DECQ    R11
	JNZ     inner1x8
	VMOVUPD Y0, (CX)
	VMOVUPD Y1, 32(CX)
	ADDQ    R8, CX
	ADDQ    R9, AX
	DECQ    BX
	JMP     rows1x8

next8:
	ADDQ $64, DI
	ADDQ $64, DX
	SUBQ $8, columns+56(FP)
	JMP  strip8

strip4:
	CMPQ columns+56(FP), $4
	JLT  done
	MOVQ DI, CX
	MOVQ a+8(FP), AX
	MOVQ rows+48(FP), BX

rows4x4:
	CMPQ    BX, $4
	JLT     rows1x4
	LEAQ    (CX)(R8*2), SI
	VMOVUPD (CX), Y0
	VMOVUPD (CX)(R8*1), Y2
	VMOVUPD (SI), Y4
	VMOVUPD (SI)(R8*1), Y6
	MOVQ    inner+64(FP), R11
	MOVQ    DX, R12
	MOVQ    AX, R13
	LEAQ    (AX)(R9*2), R15

inner4x4:
	VMOVUPD (R12), Y12
	PRODUCT1((R13), Y0)
	PRODUCT1((R13)(R9*1), Y2)
	PRODUCT1((R15), Y4)
	PRODUCT1((R15)(R9*1), Y6)
	ADDQ    R10, R12
	ADDQ    $8, R13
	ADDQ    $8, R15
	DECQ    R11
	JNZ     inner4x4
	VMOVUPD Y0, (CX)
	VMOVUPD Y2, (CX)(R8*1)
	VMOVUPD Y4, (SI)
	VMOVUPD Y6, (SI)(R8*1)
	LEAQ    (CX)(R8*4), CX
	LEAQ    (AX)(R9*4), AX
	SUBQ    $4, BX
	JMP     rows4x4

rows1x4:
	TESTQ   BX, BX
	JZ      done
	VMOVUPD (CX), Y0
	MOVQ    inner+64(FP), R11
	MOVQ    DX, R12
	MOVQ    AX, R13

inner1x4:
	VMOVUPD (R12), Y12
	PRODUCT1((R13), Y0)
	ADDQ    R10, R12
	ADDQ    $8, R13
	DECQ    R11
	JNZ     inner1x4
	VMOVUPD Y0, (CX)
	ADDQ    R8, CX
	ADDQ    R9, AX
	DECQ    BX
	JMP     rows1x4

done:
	VZEROUPPER
	RET

// SUM_LANES adds up the lanes of sum, whose lower half is low, to the element of
// y at the given address. It uses Y8.
#define SUM_LANES(sum, low, address) \
	VHADDPD      sum, sum, sum    \ // s0+s1, s0+s1, s2+s3, s2+s3
	VEXTRACTF128 $1, sum, X8      \
	VADDSD       X8, low, low     \
	VMOVSD       address, X8      \
	VADDSD       low, X8, X8      \
	VMOVSD       X8, address

// func multiplyVectorAVX(y, a, x *float64, stride, rows, columns int)
TEXT ·multiplyVectorAVX(SB), NOSPLIT, $0-48
	MOVQ y+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ x+16(FP), DX
	MOVQ stride+24(FP), R8
	MOVQ rows+32(FP), BX
	MOVQ columns+40(FP), CX
	SHLQ $3, R8
	SHLQ $3, CX

rows4:
	CMPQ   BX, $4
	JLT    rows1
	LEAQ   (SI)(R8*2), R9
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	LEAQ   (SI)(R8*1), R10
	LEAQ   (R9)(R8*1), R11
	XORQ   AX, AX

columns4:
	VMOVUPD (DX)(AX*1), Y4
	VMULPD  (SI)(AX*1), Y4, Y5
	VMULPD  (R10)(AX*1), Y4, Y6
	VMULPD  (R9)(AX*1), Y4, Y7
	VMULPD  (R11)(AX*1), Y4, Y4
	VADDPD  Y5, Y0, Y0
	VADDPD  Y6, Y1, Y1
	VADDPD  Y7, Y2, Y2
	VADDPD  Y4, Y3, Y3
	ADDQ    $32, AX
	CMPQ    AX, CX
	JLT     columns4
	SUM_LANES(Y0, X0, 0(DI))
	SUM_LANES(Y1, X1, 8(DI))
	SUM_LANES(Y2, X2, 16(DI))
	SUM_LANES(Y3, X3, 24(DI))
	ADDQ    $32, DI
	LEAQ    (SI)(R8*4), SI
	SUBQ    $4, BX
	JMP     rows4

rows1:
	TESTQ  BX, BX
	JZ     end
	VXORPD Y0, Y0, Y0
	XORQ   AX, AX

columns1:
	VMOVUPD (DX)(AX*1), Y4
	VMULPD  (SI)(AX*1), Y4, Y5
	VADDPD  Y5, Y0, Y0
	ADDQ    $32, AX
	CMPQ    AX, CX
	JLT     columns1
	SUM_LANES(Y0, X0, 0(DI))
	ADDQ    $8, DI
	ADDQ    R8, SI
	DECQ    BX
	JMP     rows1

end:
	VZEROUPPER
	RET
